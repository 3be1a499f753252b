import { nestLogger } from './platform/logging/logger.js';
import { serve } from './service.js';

/** The worker process: workflows, their activities, and the p2p connections. */
await serve(
  ({ WORKER_QUEUES: queues }) => ({ api: false, queues }),
  () => {
    nestLogger.log('polling', 'Worker');
    process.send?.('ready');
  },
);

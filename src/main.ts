import { nestLogger } from './platform/logging/logger.js';
import { serve } from './service.js';

/** The API process, with workers of its own for the queues that `API_WORKER_QUEUES` names. */
await serve(
  ({ API_WORKER_QUEUES: queues }) => ({ api: true, queues }),
  ({ url }) => {
    nestLogger.log(`listening at ${url}`, 'Api');
    process.send?.({ url });
  },
);

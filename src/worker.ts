import { parseEnv } from './config/env.schema.js';
import { nestLogger } from './logger.js';
import { startService } from './service.js';

/** The worker process: workflows, their activities, and the p2p connections. */
const service = await startService({ api: false, queues: parseEnv(process.env).WORKER_QUEUES });
nestLogger.log('polling', 'Worker');
process.send?.('ready');
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void service.close().then(() => process.exit(0)));
}
await service.failed.catch((error: unknown) => {
  nestLogger.error(error, 'Worker');
  process.exit(1);
});

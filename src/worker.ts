import { parseEnv } from './platform/config/env.schema.js';
import { nestLogger } from './platform/logging/logger.js';
import { serveUntilStopped, startService } from './service.js';

/** The worker process: workflows, their activities, and the p2p connections. */
const service = await startService({ api: false, queues: parseEnv(process.env).WORKER_QUEUES });
nestLogger.log('polling', 'Worker');
process.send?.('ready');
await serveUntilStopped(service);

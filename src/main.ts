import { parseEnv } from './platform/config/env.schema.js';
import { nestLogger } from './platform/logging/logger.js';
import { serveUntilStopped, startService } from './service.js';

/** The API process, with workers of its own for the queues that `API_WORKER_QUEUES` names. */
const service = await startService({ api: true, queues: parseEnv(process.env).API_WORKER_QUEUES });
nestLogger.log(`listening at ${service.url}`, 'Api');
process.send?.({ url: service.url });
await serveUntilStopped(service);

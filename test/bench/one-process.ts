import { TASK_QUEUES } from '../../workflows/contracts/task-queues.js';
import { startService } from '../../src/service.js';

/** The API and a worker in one process, as `npm start` runs them. */
const service = await startService({ api: true, queues: TASK_QUEUES });
process.send?.({ url: service.url });
process.once('SIGTERM', () => {
  void service.close().then(() => process.exit(0));
});

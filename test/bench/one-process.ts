import { startApi } from '../../src/main.js';
import { startWorker } from '../../src/worker.js';

/** The API and a worker in one process, as `npm start` runs them. */
const [api, worker] = await Promise.all([startApi(), startWorker()]);
process.send?.({ url: api.url });
process.once('SIGTERM', () => {
  void Promise.all([api.close(), worker.close()]).then(() => process.exit(0));
});

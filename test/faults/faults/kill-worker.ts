import { type Fault, nothing } from './fault.js';

const DOWN_SECONDS = 3;

/** All of them, so that those are hit which are at work. */
export const killWorker: Fault = {
  name: 'kill-worker',
  what: 'kill -9 of each worker in turn; started again after 3 s',
  allows: nothing,
  async run({ topology, random, hold, over }) {
    for (const worker of topology.workers) {
      await worker.kill();
      await hold(DOWN_SECONDS);
      over();
      await worker.start();
      await hold(random(3));
    }
    over();
  },
};

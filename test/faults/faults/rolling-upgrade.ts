import { type Fault, nothing } from './fault.js';

/** In the order of docs/operating.md: the workers, then the API processes. The run has begun with the older version. */
export const rollingUpgrade: Fault = {
  name: 'rolling-upgrade',
  what: 'from the previous version to this one: the workers, then the API processes, one after the other',
  allows: nothing,
  async run({ topology, over }) {
    for (const each of [...topology.workers, ...topology.apis]) {
      await each.stop();
      each.upgrade();
      if (each === topology.apis.at(-1)) over();
      await each.start();
    }
  },
};

import { type Fault, gone } from './fault.js';

const DOWN_SECONDS = 3;
const BETWEEN_SECONDS = 10;

export const killApi: Fault = {
  name: 'kill-api',
  what: 'kill -9 of each API process in turn; started again after 3 s',
  allows: gone('api 1', 'api 2'),
  async run({ topology, hold, over }) {
    for (const [index, api] of topology.apis.entries()) {
      if (index > 0) await hold(BETWEEN_SECONDS);
      await api.kill();
      await hold(DOWN_SECONDS);
      over();
      await api.start();
    }
  },
};

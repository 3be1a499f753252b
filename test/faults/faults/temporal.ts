import { type Fault, unavailable } from './fault.js';

const DOWN_SECONDS = 5;

/** Data in Postgres stays readable. */
const withoutTemporal = unavailable('aggregations', 'exports', 'operations');

export const restartTemporal: Fault = {
  name: 'restart-temporal',
  what: 'Temporal is stopped and started again at once',
  allows: withoutTemporal,
  async run({ topology, over }) {
    await topology.temporal.stop();
    over();
    await topology.temporal.start();
  },
};

export const killTemporal: Fault = {
  name: 'kill-temporal',
  what: 'kill -9 of Temporal; started again after 5 s',
  allows: withoutTemporal,
  async run({ topology, hold, over }) {
    await topology.temporal.kill();
    await hold(DOWN_SECONDS);
    over();
    await topology.temporal.start();
  },
};

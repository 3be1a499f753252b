import { type Fault, unavailable } from './fault.js';

const DOWN_SECONDS = 5;

export const restartPostgres: Fault = {
  name: 'restart-postgres',
  what: 'Postgres is stopped (fast) and started again at once',
  allows: unavailable(),
  async run({ topology, over }) {
    await topology.postgres.stop();
    over();
    await topology.postgres.start();
  },
};

export const killPostgres: Fault = {
  name: 'kill-postgres',
  what: 'kill -9 of Postgres; started again after 5 s',
  allows: unavailable(),
  async run({ topology, hold, over }) {
    await topology.postgres.kill();
    await hold(DOWN_SECONDS);
    over();
    await topology.postgres.start();
  },
};

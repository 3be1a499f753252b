import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { socketsOf } from '../topology/sockets.js';
import type { ServiceProcess } from '../topology/service-process.js';
import type { Topology } from '../topology/topology.js';
import { type Fault, nothing, pickOne } from './fault.js';

const PAUSE_SECONDS = 150;
const LAG_SECONDS = 12;
/** Silence shows after 20 s, the transaction is ended after a minute, and tries come ever further apart. */
const TAKEN_OVER_WITHIN_SECONDS = 120;
const TRIES = 600;
const BETWEEN_TRIES_MS = 15;

/**
 * A worker stands still in the middle of a transaction that holds an index's lock, long enough to be taken for dead, and goes on
 * as if nothing had been: it must not write beside its successor.
 */
export const pausedWorker: Fault = {
  name: 'paused-worker',
  what: 'a worker is stopped (SIGSTOP) for 150 s while it holds the lock of an index, then woken up',
  allows: nothing,
  async run({ topology, random, hold, over, expect, note, untilAtTip }) {
    const { worker, state } = await pauseInTransaction(topology, (workers) => pickOne(workers, random));
    note(
      `${worker.name} stood still ${state === undefined ? 'without' : `(${state}) with`} the lock of an index`,
    );
    // Until it shows that nobody follows the chain.
    await hold(LAG_SECONDS);
    const seconds = LAG_SECONDS + ((await untilAtTip(TAKEN_OVER_WITHIN_SECONDS)) ?? Infinity);
    expect(
      `others go on with the indexes within ${TAKEN_OVER_WITHIN_SECONDS} s`,
      seconds <= TAKEN_OVER_WITHIN_SECONDS,
      `${seconds.toFixed(0)} s`,
    );
    note(`others went on after ${seconds.toFixed(0)} s`);
    await hold(Math.max(0, PAUSE_SECONDS - seconds));
    over();
    worker.resume();
  },
};

async function pauseInTransaction(
  { postgres, workers }: Topology,
  pick: (workers: readonly ServiceProcess[]) => ServiceProcess,
): Promise<{ worker: ServiceProcess; state: string | undefined }> {
  const client = new pg.Client({ connectionString: postgres.current.url });
  await client.connect();
  try {
    for (let attempt = 1; ; attempt += 1) {
      const worker = pick(workers);
      worker.pause();
      const state = await stateWithLock(client, worker);
      if (state !== undefined || attempt === TRIES) return { worker, state };
      worker.resume();
      await delay(BETWEEN_TRIES_MS);
    }
  } finally {
    await client.end();
  }
}

/** Statements that are under way end by themselves; what the session holds then stays until somebody ends it. */
async function stateWithLock(client: pg.Client, { pid }: ServiceProcess): Promise<string | undefined> {
  const ports = pid === undefined ? [] : socketsOf(pid).map(({ localPort }) => localPort);
  const { rows } = await client.query<{ state: string }>(
    `SELECT state FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND xact_start IS NOT NULL AND client_port = ANY($1)`,
    [ports],
  );
  return rows[0]?.state;
}

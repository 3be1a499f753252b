import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { P_CHAIN } from '../../src/platform/database/chains.js';
import { openDataSource } from '../../src/platform/database/data-source.js';
import { Database, type Reader, type Statement } from '../../src/platform/database/database.js';
import { ListDatabase } from '../../src/platform/database/list-database.js';
import { Replica, UnfitReplicaError } from '../../src/platform/database/replica.js';
import { Metrics } from '../../src/platform/metrics/metrics.js';
import type { PostgresServer } from '../../sandbox/local/postgres-server.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { startReplicaForTest } from '../support/harness/replica.js';
import type { RestartableServer } from '../support/harness/restartable-server.js';
import { startPostgresForTest } from '../support/harness/services.js';
import { insertRows, insertStandings, moveIndex } from '../support/http/begun-indexes.js';
import { ChangeStream } from '../support/http/change-stream.js';
import { ListApi } from '../support/http/list-api.js';
import { addressText, idOf, listingRows, shortIdOf, utxoRow } from '../support/p-chain/p-chain-rows.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

type Server = RestartableServer<PostgresServer> & { url: string };

/** So that a replica is late within the time of a test, while one on a busy machine still answers between two looks. */
const TIMES = { lookEveryMs: 3_000, maxLagMs: 6_000 };
/** Where one answer that is late would end the test: it outlives a mark all the same. */
const PATIENT_TIMES = { lookEveryMs: 8_000, maxLagMs: 8_500 };

/** Longer than a process remembers how far an index is. */
const REMEMBERED_MS = 1_100;

const WHO: Statement = { text: 'SELECT pg_is_in_recovery() AS "isReplica"', values: [], onePlan: true };

async function isReplica(reader: Reader): Promise<boolean> {
  const [row] = await reader.query<{ isReplica: boolean }>(WHO);
  if (row === undefined) throw new Error('no row');
  return row.isReplica;
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

async function openPrimary(url: string): Promise<Database> {
  const dataSource = await openDataSource(patientDataSource({ url, poolSize: 4 }));
  onCleanup(() => dataSource.destroy());
  return new Database(dataSource);
}

/**
 * Lets a server and all that it has started stand still while something is done. The server itself stops first and goes on
 * last: a child that ends meanwhile keeps its process id until then.
 */
async function whileStopped(pid: number, doWork: () => Promise<void>): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const pids = [...children.split(' ').filter(Boolean).map(Number), pid];
  for (const each of pids) process.kill(each, 'SIGSTOP');
  try {
    await doWork();
  } finally {
    for (const each of pids) process.kill(each, 'SIGCONT');
  }
}

let primary: Server;
let replica: Server;

beforeAll(async () => {
  primary = await startPostgresForTest();
  await run(primary.url, 'CREATE TABLE written (n int)');
  replica = await startReplicaForTest(primary);
});

describe(ListDatabase.name, () => {
  const replicas: Replica[] = [];
  afterEach(async () => {
    for (const each of replicas.splice(0)) await each.stop();
  });

  async function open(url = replica.url, times = TIMES): Promise<ListDatabase> {
    const database = await openPrimary(primary.url);
    const opened = new Replica(database, { url, poolSize: 4 }, times);
    replicas.push(opened);
    await opened.start();
    return new ListDatabase(database, opened);
  }

  /** One whose replica serves already. */
  async function openServing(times = TIMES): Promise<ListDatabase> {
    const lists = await open(replica.url, times);
    await eventually('the replica serves', async () => isReplica(lists));
    return lists;
  }

  it('reads from a replica that keeps up', async () => {
    const lists = await openServing();
    expect(await isReplica(lists.extent)).toBe(true);
  });

  it('reads from the primary while the replica is late, and afterwards first from the replica how far it goes', async () => {
    const lists = await openServing();
    await run(replica.url, 'SELECT pg_wal_replay_pause()');
    await run(primary.url, 'INSERT INTO written VALUES (1)');
    await eventually('the late replica is left out', async () => !(await isReplica(lists)));
    expect(await isReplica(lists.extent)).toBe(false);
    await run(replica.url, 'SELECT pg_wal_replay_resume()');
    await eventually('the extent comes from the replica', async () => isReplica(lists.extent));
    expect(await isReplica(lists)).toBe(false);
    await eventually('the replica serves again', async () => isReplica(lists));
    expect(await isReplica(lists.extent)).toBe(true);
  });

  it('fails no reader when the replica is killed, and returns to it', async () => {
    const lists = await openServing();
    const reading = Array.from({ length: 4 }, async (): Promise<void> => {
      while (await isReplica(lists));
    });
    await replica.kill();
    await Promise.all(reading);
    await replica.start();
    await eventually('the replica serves again', async () => isReplica(lists));
  });

  it('keeps no reader waiting when the replica stands still', async () => {
    const lists = await openServing();
    await whileStopped(replica.current.pid, async () => {
      const startedAt = performance.now();
      expect(await isReplica(lists)).toBe(false);
      // A statement that is waited for ends after thirty seconds.
      expect(performance.now() - startedAt).toBeLessThan(28_000);
    });
    await eventually('the replica serves again', async () => isReplica(lists));
  });

  it('goes on reading from the replica while the primary is away', async () => {
    const lists = await openServing(PATIENT_TIMES);
    await primary.kill();
    try {
      const deadline = performance.now() + 2 * PATIENT_TIMES.maxLagMs;
      while (performance.now() < deadline) expect(await isReplica(lists)).toBe(true);
    } finally {
      await primary.start();
    }
  });

  it('does not take the fault of a statement for one of the replica', async () => {
    const lists = await openServing();
    await expect(lists.query({ text: 'SELECT 1 / 0', values: [] })).rejects.toThrow('division by zero');
    expect(await isReplica(lists)).toBe(true);
  });

  it('does without a replica that is not there yet', async () => {
    await replica.stop();
    const lists = await open();
    expect(await isReplica(lists)).toBe(false);
    await replica.start();
    await eventually('the replica serves', async () => isReplica(lists));
  });

  it('reports whether the replica serves, and its lag', async () => {
    const env = parseEnv({ DATABASE_URL: primary.url, DATABASE_REPLICA_URL: replica.url });
    const metrics = new Metrics();
    const lists = await ListDatabase.connect(new Config(env), await openPrimary(primary.url), metrics);
    onCleanup(() => lists.onApplicationShutdown());
    await eventually('the replica serves', async () => isReplica(lists));
    const text = await metrics.text();
    expect(text).toMatch(/^nds_replica_serving 1$/m);
    expect(text).toMatch(/^nds_replica_lag_seconds \d/m);
  });

  it('refuses what is no replica, and that of another database', async () => {
    await expect(open(primary.url)).rejects.toThrow(UnfitReplicaError);
    const other = new URL(replica.url);
    other.pathname = '/postgres';
    await expect(open(other.href)).rejects.toThrow(UnfitReplicaError);
  });
});

describe('the lists of the API', () => {
  const start = (): Promise<ListApi> => ListApi.start(primary.url, { DATABASE_REPLICA_URL: replica.url });

  const setHeight = (at: number): Promise<void> =>
    run(primary.url, `UPDATE index_checkpoints SET height = ${at} WHERE network = 'fuji'`);

  /** How long a process that has just begun reports the former height from a replica that does not get the new one. */
  const formerReportedMs = async (api: ListApi, former: number): Promise<number> => {
    const isReported = async (height: number): Promise<boolean> => {
      const { status, headers } = await api.fetch('/v1/networks/fuji/validators');
      expect(status).toBe(200);
      return headers.get('x-index-height') === String(height);
    };
    // It is as late as the last change that it has: a new one, so that it is not left out at once.
    await setHeight(former);
    await eventually('the replica has the change', () => isReported(former));
    await run(replica.url, 'SELECT pg_wal_replay_pause()');
    await setHeight(former + 1);
    const changedAt = performance.now();
    let formerUntil = changedAt;
    await eventually('the late replica is left out', async () => {
      if (await isReported(former + 1)) return true;
      formerUntil = performance.now();
      return false;
    });
    await run(replica.url, 'SELECT pg_wal_replay_resume()');
    return formerUntil - changedAt;
  };

  it('are those of the replica, and so is what they report of their age', async () => {
    let api = await start();
    await insertStandings(api, [{ network: 'fuji', chain: P_CHAIN, height: 6, tip: 7, blockTime: 7 }]);
    let reportedMs = await formerReportedMs(api, 7);
    // Where the machine stood still, the replica may have been left out at once.
    for (const former of [17, 27]) {
      if (reportedMs > REMEMBERED_MS) break;
      api = await start();
      reportedMs = await formerReportedMs(api, former);
    }
    expect(reportedMs).toBeGreaterThan(REMEMBERED_MS);
  });
});

describe('the changes of the API', () => {
  it('are complete while the replica has yet to learn what they are about', async () => {
    const api = await ListApi.start(primary.url, { DATABASE_REPLICA_URL: replica.url });
    const move = (height: number): Promise<void> =>
      moveIndex(new Database(api.dataSource), { network: 'fuji', chain: 'P', cChainId: 1n }, height);
    await move(10);
    const owner = shortIdOf(7);
    const addresses = addressText(owner, 'fuji');
    const stream = await ChangeStream.open(api.url, { network: 'fuji', addresses });
    await run(replica.url, 'SELECT pg_wal_replay_pause()');
    const utxo = utxoRow({ utxo_id: idOf(7), block_height: 11, owner_addresses: [owner], amount: '21' });
    await insertRows(api.dataSource, 'utxos', [utxo]);
    await insertRows(api.dataSource, 'utxo_listings', listingRows(utxo));
    await move(11);
    const [event] = await stream.until(1);
    expect(event).toMatchObject({ id: 'p:11', event: 'utxo.created', data: { amount: '21' } });
    await run(replica.url, 'SELECT pg_wal_replay_resume()');
  });
});

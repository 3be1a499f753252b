import { beforeAll, describe, expect, it } from '@jest/globals';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { from as copyFrom } from 'pg-copy-streams';
import type { DataSource } from 'typeorm';
import { copyTo } from '../../src/platform/database/copy-to.js';
import { Database, type Transaction, UNANSWERED } from '../../src/platform/database/database.js';
import { dataSourceOptions, openDataSource } from '../../src/platform/database/data-source.js';
import { ServiceSecret } from '../../src/platform/secrets/service-secret.entity.js';
import { copyOut } from '../../src/exports/rows/copy-out.js';
import { CLEAR, Link, Sky } from '../faults/topology/link.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { openDatabase } from '../support/harness/database.js';
import { startPostgresForTest } from '../support/harness/services.js';

/** Of what ends by it; on a busy machine any other statement must be able to take some seconds. */
const SHORT_MS = 1_000;
const SILENCE_MS = 5_000;
const WHOSE = { text: 'SELECT pg_backend_pid() AS pid', values: [] };
const SLEEP = { text: 'SELECT pg_sleep(5)', values: [] };

describe(Database.name, () => {
  let url: string;

  // A server of its own: one that cannot send to a client lets nobody create or drop a database meanwhile.
  beforeAll(async () => {
    ({ url } = await startPostgresForTest());
    await openDatabase(url);
  });

  /** A single connection, over a network that may fall silent. */
  const connect = async (
    statementTimeoutMs?: number,
  ): Promise<{ database: Database; dataSource: DataSource; sky: Sky }> => {
    const sky = new Sky(() => 0);
    const { hostname, port } = new URL(url);
    const to = { host: hostname, port: Number(port) };
    const link = await Link.open({ at: { host: '127.0.0.1', port: 0 }, to, sky });
    const behind = new URL(url);
    behind.port = new URL(link.url).port;
    const limit = statementTimeoutMs === undefined ? {} : { statementTimeoutMs };
    const options = { url: behind.href, poolSize: 1, entities: [ServiceSecret], ...limit };
    const dataSource = await openDataSource(dataSourceOptions(options));
    onCleanup(async () => {
      await dataSource.destroy();
      link.close();
    });
    return { database: new Database(dataSource), dataSource, sky };
  };

  it('vacuums and analyses tables, however long that takes', async () => {
    const { database } = await connect();
    const run = (text: string) => database.query({ text, values: [] });
    await run('CREATE TABLE vacuumed AS SELECT i FROM generate_series(1, 10000) i');
    await database.vacuum(['vacuumed'], new AbortController().signal);
    expect(
      await run(`SELECT vacuum_count, analyze_count FROM pg_stat_all_tables WHERE relname = 'vacuumed'`),
    ).toEqual([{ vacuum_count: '1', analyze_count: '1' }]);
    await expect(database.vacuum(['vacuumed'], AbortSignal.abort(new Error('ended')))).rejects.toThrow(
      'ended',
    );
  });

  it('opens more connections than configured where more are allowed', async () => {
    const { database } = await connect();
    database.allowMore(1);
    const both = [await database.connect(), await database.connect()];
    expect(database.poolUse()).toMatchObject({ total: 2, max: 2 });
    for (const connection of both) connection.release();
  });

  const within =
    (work: (transaction: Transaction) => Promise<unknown>) =>
    (database: Database, cut: () => void): Promise<unknown> =>
      database.transaction(
        async (transaction) => {
          await transaction.query(WHOSE);
          cut();
          await work(transaction);
        },
        { statementTimeoutMs: SILENCE_MS + 1_000 },
      );

  it.each<[string, (database: Database, cut: () => void, dataSource: DataSource) => Promise<unknown>]>([
    [
      'a statement',
      (database, cut) => {
        cut();
        return database.query(WHOSE);
      },
    ],
    [
      'a read of a repository',
      (_, cut, dataSource) => {
        cut();
        return dataSource.getRepository(ServiceSecret).find();
      },
    ],
    ['a transaction', within((transaction) => transaction.query(WHOSE))],
    [
      'a COPY in',
      within(({ connection, timeout }) => {
        const copy = copyFrom('COPY nodes FROM STDIN');
        return pipeline(Readable.from(['\n']), connection.query(Object.assign(copy, timeout)));
      }),
    ],
    [
      'a COPY out within a transaction',
      within((transaction) => text(copyTo(transaction, 'COPY (SELECT pg_sleep(1)) TO STDOUT'))),
    ],
    [
      'a COPY out',
      async (database, cut) => {
        const rows = copyOut(database, 'SELECT repeat(md5(i::text), 1000) FROM generate_series(1, 2000) i', {
          settings: {},
          timeoutMs: SILENCE_MS,
          signal: new AbortController().signal,
        });
        await rows.next();
        cut();
        while ((await rows.next()).done !== true);
      },
    ],
  ])('gives up %s whose server has fallen silent, and its connection', async (_, use) => {
    const { database, dataSource, sky } = await connect(SILENCE_MS);
    const [before] = await database.query(WHOSE);
    await expect(use(database, () => sky.set({ kind: 'cut' }), dataSource)).rejects.toThrow(UNANSWERED);
    expect(database.poolUse()).toMatchObject({ total: 0, waiting: 0 });
    sky.set(CLEAR);
    const [after] = await database.query(WHOSE);
    expect(after).not.toEqual(before);
  });

  it('leaves nothing that waits behind a COPY out', async () => {
    const { database } = await connect();
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    await database.transaction(async (transaction) => {
      await transaction.query(WHOSE);
      const before = timers();
      expect(await text(copyTo(transaction, 'COPY (SELECT 1) TO STDOUT'))).toBe('1\n');
      await transaction.query(WHOSE);
      expect(timers()).toBeLessThanOrEqual(before);
    });
  });

  it('gives a transaction as much time as it wants', async () => {
    const { database } = await connect(SHORT_MS);
    // The driver, when Postgres takes its time to say so.
    const limited = /due to statement timeout|Query read timeout/;
    await expect(database.query(SLEEP)).rejects.toThrow(limited);
    await expect(database.transaction((transaction) => transaction.query(SLEEP))).rejects.toThrow(limited);
    for (const statementTimeoutMs of [30_000, 0]) {
      const slept = database.transaction((transaction) => transaction.query(SLEEP), { statementTimeoutMs });
      expect(await slept).toHaveLength(1);
    }
    expect(await database.query({ text: 'SHOW statement_timeout', values: [] })).toEqual([
      { statement_timeout: '1s' },
    ]);
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg, { type QueryResultRow } from 'pg';
import { startPostgres, type PostgresServer } from '../../sandbox/local/postgres-server.js';
import { freePort } from '../../sandbox/local/processes/ports.js';
import { createTestFolder, startPostgresForTest } from '../support/harness/services.js';

async function query<T extends QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe(startPostgres.name, () => {
  const servers: PostgresServer[] = [];
  afterEach(async () => {
    const started = servers.splice(0);
    await Promise.all(started.map((server) => server.stop()));
    // Not before: several may have been started over the same data.
    for (const server of started) server.removeData();
  });

  async function start(
    dataDir: string,
    port?: number,
  ): Promise<{ server: PostgresServer; printed: string[] }> {
    const printed: string[] = [];
    const server = await startPostgres({ dataDir, port, progress: (text) => printed.push(text) });
    servers.push(server);
    return { server, printed };
  }

  it('keeps what was committed over kill -9', async () => {
    const server = await startPostgresForTest();
    await query(server.url, 'CREATE TABLE kept AS SELECT 1 AS one');
    await server.kill();
    await server.start();
    expect(await query(server.url, 'SELECT * FROM kept')).toEqual([{ one: 1 }]);
  });

  it('takes over the data from a server that an earlier run left behind', async () => {
    const dataDir = join(createTestFolder('leftover'), 'postgres');
    const { server: leftover } = await start(dataDir);
    await query(leftover.url, 'CREATE TABLE kept AS SELECT 1 AS one');
    const { server, printed } = await start(dataDir);
    await leftover.exited;
    expect(printed.join()).toContain(`process ${leftover.pid}`);
    expect(await query(server.url, 'SELECT * FROM kept')).toEqual([{ one: 1 }]);
  });

  it('does not take another process for its own when the process id in the pid file was given out again', async () => {
    const dataDir = join(createTestFolder('stale'), 'postgres');
    const { server: first } = await start(dataDir);
    await first.stop();
    writeFileSync(join(first.dataFolder, 'postmaster.pid'), `${process.pid}\n${first.dataFolder}\n`);
    const { server, printed } = await start(dataDir);
    expect(printed).toEqual([]);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts anew over a database cluster of which only half was created', async () => {
    const dataDir = join(createTestFolder('half'), 'postgres');
    mkdirSync(join(dataDir, 'data.new'), { recursive: true });
    writeFileSync(join(dataDir, 'data.new', 'postgresql.conf'), '');
    const { server } = await start(dataDir);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('steps over a busy port', async () => {
    const port = await freePort();
    const blocker = createServer().listen(port, '127.0.0.1');
    const { server } = await start(join(createTestFolder('busy'), 'postgres'), port);
    blocker.close();
    expect(server.port).toBeGreaterThan(port);
  });

  it('lets nobody in without the password, which only the user of the server can read', async () => {
    const { server } = await start(join(createTestFolder('password'), 'postgres'));
    expect(statSync(server.passwordFile).mode & 0o777).toBe(0o600);
    const url = new URL(server.url);
    expect(url.password).toBe(readFileSync(server.passwordFile, 'utf8'));
    url.password = 'guess';
    await expect(query(url.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('creates the database in UTF-8 and sorts by bytes', async () => {
    const { server } = await start(join(createTestFolder('locale'), 'postgres'));
    const sql =
      'SELECT pg_encoding_to_char(encoding) AS encoding, datcollate FROM pg_database WHERE datname = current_database()';
    expect(await query(server.url, sql)).toEqual([{ encoding: 'UTF8', datcollate: 'C' }]);
  });
});

// Only root has to hand the server over to another user; for everybody else the case does not exist.
if (process.getuid?.() === 0) {
  describe('startPostgres in a folder that only root can enter', () => {
    const started: PostgresServer[] = [];
    afterEach(async () => {
      for (const server of started.splice(0)) await server.stop();
    });

    async function start(dataDir: string, progress?: (text: string) => void): Promise<PostgresServer> {
      const server = await startPostgres({ dataDir, progress });
      started.push(server);
      return server;
    }

    it('puts the data outside, finds it again, and forgets it when the folder was removed', async () => {
      const checkout = createTestFolder('private');
      chmodSync(checkout, 0o700);
      const dataDir = join(checkout, 'postgres');
      const printed: string[] = [];

      const first = await start(dataDir, (text) => printed.push(text));
      expect(first.dataFolder).toMatch(/^\/var\/tmp\//);
      expect(printed.join()).toContain(first.dataFolder.replace(/\/data$/, ''));
      await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS one');
      await first.stop();

      const second = await start(dataDir);
      expect(await query(second.url, 'SELECT * FROM kept')).toEqual([{ one: 1 }]);
      await second.stop();

      rmSync(dataDir, { recursive: true });
      const third = await start(dataDir);
      await expect(query(third.url, 'SELECT * FROM kept')).rejects.toThrow(/does not exist/);
      await third.stop();
      third.removeData();
      expect(existsSync(third.dataFolder)).toBe(false);
    });
  });
}

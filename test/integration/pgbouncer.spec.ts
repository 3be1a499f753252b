import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { ids } from '../../sandbox/local/postgres-data.js';
import { ManagedChild } from '../../sandbox/local/processes/child-process.js';
import { freePort } from '../../sandbox/local/processes/ports.js';
import { chooseServerUser } from '../../sandbox/local/processes/system-user.js';
import { dataSourceOptions, openDataSource, runMigrations } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { UnfitPoolerError } from '../../src/platform/database/unfit-database.js';
import { eventually } from '../support/harness/eventually.js';
import { createEmptyDatabase } from '../support/harness/services.js';

/** Where jest.config.mjs has found it. */
declare const PGBOUNCER: string;

const NO_LIMITS = 'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout';

describe('a service behind PgBouncer', () => {
  let server: URL;
  let pooler: ManagedChild | undefined;

  beforeAll(async () => {
    server = new URL((await createEmptyDatabase()).url);
  });
  afterEach(() => pooler?.stop());

  it('does not start where connections share sessions', async () => {
    await expect(migrateThrough('transaction', NO_LIMITS)).rejects.toThrow(UnfitPoolerError);
    await expect(migrateThrough('transaction', NO_LIMITS)).rejects.toThrow(/shares sessions/);
  });

  it('does not start without the limits of its statements', async () => {
    await expect(migrateThrough('session', NO_LIMITS)).rejects.toThrow(/drops statement_timeout/);
  });

  it('works with sessions of its own and limits of its user', async () => {
    const limits =
      "connect_query='SET statement_timeout = 30000; SET idle_in_transaction_session_timeout = 60000'";
    await migrateThrough('session', NO_LIMITS, limits);
  });

  async function migrateThrough(mode: string, setting: string, ofDatabase = ''): Promise<void> {
    const url = await startPooler(mode, setting, ofDatabase);
    const dataSource = await openDataSource(dataSourceOptions({ url, poolSize: 2 }));
    try {
      await runMigrations(dataSource);
      const database = new Database(dataSource);
      const statement = { text: 'SELECT $1::int AS n', values: [1], onePlan: true };
      expect(await Promise.all([1, 2, 3].map(() => database.query(statement)))).toHaveLength(3);
    } finally {
      await dataSource.destroy();
    }
  }

  async function startPooler(mode: string, setting: string, ofDatabase: string): Promise<string> {
    await pooler?.stop();
    const folder = mkdtempSync(join(tmpdir(), 'nds-pgbouncer-'));
    chmodSync(folder, 0o755);
    const port = await freePort();
    const name = server.pathname.slice(1);
    const users = join(folder, 'users.txt');
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(users, `"${server.username}" "${server.password}"\n`);
    const lines = [
      '[databases]',
      `${name} = host=127.0.0.1 port=${server.port} ${ofDatabase}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = plain\nauth_file = ${users}\npool_mode = ${mode}`,
      setting,
    ];
    writeFileSync(file, lines.join('\n'));
    pooler = await ManagedChild.start({
      name: 'PgBouncer',
      command: PGBOUNCER,
      args: [file],
      logFile: join(folder, 'log'),
      cwd: folder,
      env: process.env,
      user: ids(chooseServerUser(folder)),
    });
    await eventually('PgBouncer listens', () => listens(port));
    return `postgres://${server.username}:${server.password}@127.0.0.1:${port}/${name}`;
  }
});

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

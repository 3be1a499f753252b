import { execFile } from 'node:child_process';
import { chownSync, cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { POSTGRES_USER, prepareFolders } from '../../../sandbox/local/postgres-data.js';
import type { PostgresServer } from '../../../sandbox/local/postgres-server.js';
import { silent } from '../../../sandbox/local/processes/progress.js';
import { chooseServerUser } from '../../../sandbox/local/processes/system-user.js';
import type { RestartableServer } from './restartable-server.js';
import { createTestFolder, startPostgresForTest } from './services.js';

/** A streaming replica of the server, made from a base backup as an operator would make it. */
export async function startReplicaForTest(
  primary: RestartableServer<PostgresServer>,
): Promise<RestartableServer<PostgresServer> & { url: string }> {
  const dataDir = join(createTestFolder('replica'), 'postgres');
  const user = chooseServerUser(dataDir);
  const folders = prepareFolders(dataDir, user, silent);
  cpSync(primary.current.passwordFile, folders.passwordFile);
  const label = await copyCluster(primary.current, folders.data);
  for (const [name, content] of [
    ['backup_label', label],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(join(folders.data, name), content);
    if (user !== undefined) chownSync(join(folders.data, name), user.uid, user.gid);
  }
  const { password } = new URL(primary.current.url);
  const source = `host=127.0.0.1 port=${primary.current.port} user=${POSTGRES_USER} password=${password}`;
  return startPostgresForTest({ dataDir, settings: { primary_conninfo: source } });
}

/** Returns what the copy must have as its `backup_label`. */
async function copyCluster({ url, dataFolder }: PostgresServer, target: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('replica', true)");
    await promisify(execFile)('cp', ['-a', dataFolder, target]);
    for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(target, name));
    const wal = join(target, 'pg_wal');
    for (const name of readdirSync(wal)) rmSync(join(wal, name), { recursive: true });
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    return rows[0]?.labelfile ?? '';
  } finally {
    await client.end();
  }
}

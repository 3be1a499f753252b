import { afterAll } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  startPostgres,
  type PostgresOptions,
  type PostgresServer,
} from '../../../src/embedded/postgres-server.js';
import {
  startTemporal,
  type TemporalOptions,
  type TemporalServer,
} from '../../../src/embedded/temporal-server.js';
import { SEARCH_ATTRIBUTES } from '../../../workflows/contracts/search-attributes.js';
import { fromGlobalSetup } from './env.js';
import { registerProcess } from './process-register.js';
import { makeRestartable, type OwnServer, type RestartableServer } from './restartable-server.js';

const cleanups: (() => Promise<unknown> | void)[] = [];

// Registered with the spec file that imports this one: what it forgets to stop is stopped after its last test.
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs after the last test of the spec file, the latest first. */
export function onCleanup(cleanup: () => Promise<unknown> | void): void {
  cleanups.push(cleanup);
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** An empty database in the shared Postgres server; dropped after the spec file, also while connections are open. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  const url = new URL(fromGlobalSetup('postgresUrl'));
  url.pathname = `/${name}`;
  const drop = (): Promise<void> => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  cleanups.push(drop);
  return { url: url.href, drop };
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: fromGlobalSetup('postgresUrl') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The shared Temporal server, `host:port`; namespace `default`. Use task queues of your own. */
export function temporalAddress(): string {
  return fromGlobalSetup('temporalAddress');
}

export function temporalBinary(): string {
  return fromGlobalSetup('temporalBinary');
}

/** A folder that is removed after the spec file. Every user can enter it, but not list it. */
export function createTestFolder(name: string): string {
  const folder = mkdtempSync(join(fromGlobalSetup('folder'), `${name}-`));
  chmodSync(folder, 0o711);
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Deleted workflows are gone in seconds instead of minutes. */
export const DELETES_AT_ONCE = [
  'history.transferProcessorEnsureCloseBeforeDelete=false',
  'history.visibilityProcessorEnsureCloseBeforeDelete=false',
];

export async function startTemporalForTest(
  options: Partial<TemporalOptions> = {},
): Promise<RestartableServer<TemporalServer> & { address: string }> {
  const dataDir = join(createTestFolder('temporal'), 'temporal');
  const start = (port?: number): Promise<TemporalServer> =>
    startTemporal({
      binary: temporalBinary(),
      dataDir,
      port,
      uiPort: null,
      searchAttributes: SEARCH_ATTRIBUTES,
      ...options,
    });
  const server = await startRestartable(start);
  return Object.assign(server, { address: server.current.address });
}

export async function startPostgresForTest(
  options: Partial<PostgresOptions> = {},
): Promise<RestartableServer<PostgresServer> & { url: string }> {
  const dataDir = join(createTestFolder('postgres'), 'postgres');
  const start = (port?: number): Promise<PostgresServer> => startPostgres({ dataDir, port, ...options });
  const server = await startRestartable(start);
  cleanups.push(() => server.stop().then(() => server.current.removeData()));
  return Object.assign(server, { url: server.current.url });
}

async function startRestartable<Server extends OwnServer>(
  start: (port?: number) => Promise<Server>,
): Promise<RestartableServer<Server>> {
  const handle = await makeRestartable(start, ({ pid }) => registerProcess(fromGlobalSetup('folder'), pid));
  cleanups.push(() => handle.stop());
  return handle;
}

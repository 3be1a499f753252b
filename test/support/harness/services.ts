import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  startPostgres,
  type PostgresOptions,
  type PostgresServer,
} from '../../../sandbox/local/postgres-server.js';
import {
  startTemporal,
  type TemporalOptions,
  type TemporalServer,
} from '../../../sandbox/local/temporal-server.js';
import { SEARCH_ATTRIBUTES } from '../../../workflows/contracts/search-attributes.js';
import { onCleanup } from './cleanup.js';
import { fromGlobalSetup, TEMPLATE_DATABASE } from './env.js';
import { registerProcess } from './process-register.js';
import { makeRestartable, type OwnServer, type RestartableServer } from './restartable-server.js';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database with all tables in the shared Postgres server; dropped afterwards, also while connections are open. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(`TEMPLATE ${TEMPLATE_DATABASE} STRATEGY file_copy`);
}

/** One without any. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('');
}

async function createDatabase(how: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} ${how}`);
  const url = new URL(fromGlobalSetup('postgresUrl'));
  url.pathname = `/${name}`;
  const drop = (): Promise<void> => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  onCleanup(drop);
  const offsetMs = process.env['NDS_CLOCK_OFFSET_MS'];
  if (offsetMs !== undefined) await run(url.href, shiftClock(name, Number(offsetMs)));
  return { url: url.href, drop };
}

function onServer(sql: string): Promise<void> {
  return run(fromGlobalSetup('postgresUrl'), sql);
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Of the `midnight` project: puts another `now()` before Postgres' own, for statements and for what columns have by default. */
function shiftClock(database: string, offsetMs: number): string {
  return `
    CREATE SCHEMA clock;
    CREATE FUNCTION clock.now() RETURNS timestamptz STABLE LANGUAGE sql
      AS $$ SELECT pg_catalog.now() + interval '${offsetMs} milliseconds' $$;
    ALTER DATABASE ${database} SET search_path = public, clock, pg_catalog;
    SET search_path = public, clock, pg_catalog;
    DO $$
      DECLARE stamped record;
      BEGIN
        FOR stamped IN SELECT adrelid::regclass AS place, attname AS name
                         FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
                        WHERE pg_get_expr(adbin, adrelid) = 'pg_catalog.now()' LOOP
          EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT now()', stamped.place, stamped.name);
        END LOOP;
      END
    $$`;
}

/** The shared Temporal server, `host:port`; namespace `default`. Use task queues of your own. */
export function temporalAddress(): string {
  return fromGlobalSetup('temporalAddress');
}

export function temporalBinary(): string {
  return fromGlobalSetup('temporalBinary');
}

/** A folder that is removed afterwards. Every user can enter it, but not list it. */
export function createTestFolder(name: string): string {
  const folder = mkdtempSync(join(fromGlobalSetup('folder'), `${name}-`));
  chmodSync(folder, 0o711);
  onCleanup(() => rmSync(folder, { recursive: true, force: true }));
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
  // It takes a second to end of its own accord, and nobody needs its data any more.
  onCleanup(() => server.kill());
  return Object.assign(server, { address: server.current.address });
}

export async function startPostgresForTest(
  options: Partial<PostgresOptions> = {},
): Promise<RestartableServer<PostgresServer> & { url: string }> {
  const dataDir = join(createTestFolder('postgres'), 'postgres');
  const start = (port?: number): Promise<PostgresServer> => startPostgres({ dataDir, port, ...options });
  const server = await startRestartable(start);
  onCleanup(() => server.stop().then(() => server.current.removeData()));
  return Object.assign(server, { url: server.current.url });
}

function startRestartable<Server extends OwnServer>(
  start: (port?: number) => Promise<Server>,
): Promise<RestartableServer<Server>> {
  return makeRestartable(start, ({ pid }) => registerProcess(fromGlobalSetup('folder'), pid));
}

import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { type NetworkName, networkNames } from '../config/network-names.js';
import { byteaArrayReader } from './array-literal.js';
import { partitionOf } from './chains.js';
import { networkPartitions } from './network-partitions.js';
import { CreateSchema1795700000000 } from './migrations/1795700000000-create-schema.js';
import { SnakeCaseNaming } from './snake-case-naming.js';
import { requireSessions, UnfitDatabaseError } from './unfit-database.js';

/** In order. */
const MIGRATIONS = [CreateSchema1795700000000];

/** Not among the types that the driver names. */
const BYTEA_ARRAY = 1001 as Parameters<typeof pg.types.getTypeParser>[0];
pg.types.setTypeParser(
  BYTEA_ARRAY,
  byteaArrayReader(pg.types.getTypeParser(BYTEA_ARRAY) as (text: string) => unknown),
);

/** A statement that takes longer is a defect; without a bound it would hold its connection forever. */
const STATEMENT_TIMEOUT_MS = 30_000;
/**
 * Postgres reports itself when a statement has reached its limit; where it is silent for so much longer, its machine is gone. TCP would
 * wait a quarter of an hour.
 */
const ANSWER_MARGIN_MS = 2_000;
/** The longest that a timer can wait: for what has no limit. The driver takes 0 for "as its pool". */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Longer than anything is worked out between two statements. A process that stands still in a transaction, or whose machine is gone,
 * must not keep its locks from its successor; when it wakes up, its transaction is over.
 */
export const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;

/**
 * Every connection's. TCP asks a server that is silent for 10 s whether it is still there, and after another 10 s gives it up: so ends what
 * has no limit (a migration, a listener), or is idle, when the server's machine is gone.
 */
export const CONNECTION_OPTIONS = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const;

export function dataSourceOptions({
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  idleTransactionTimeoutMs = IDLE_TRANSACTION_TIMEOUT_MS,
  ...options
}: {
  url: string;
  poolSize: number;
  entities?: (new () => object)[];
  statementTimeoutMs?: number;
  idleTransactionTimeoutMs?: number;
}): DataSourceOptions {
  return {
    type: 'postgres',
    url: options.url,
    poolSize: options.poolSize,
    applicationName: 'network-data-service',
    extra: {
      ...CONNECTION_OPTIONS,
      statement_timeout: statementTimeoutMs,
      query_timeout: answerTimeoutMs(statementTimeoutMs),
      idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    },
    entities: options.entities ?? [],
    namingStrategy: new SnakeCaseNaming(),
    synchronize: false,
    migrationsRun: false,
    migrations: [...MIGRATIONS],
  };
}

/** How long the driver waits for the answer to a statement that has this limit on the server; 0: none. */
export function answerTimeoutMs(statementTimeoutMs: number): number {
  return statementTimeoutMs === 0 ? NO_TIMEOUT_MS : statementTimeoutMs + ANSWER_MARGIN_MS;
}

/** Connects. A connection whose server has not answered in time is closed, where TypeORM would use it again. */
export async function openDataSource(options: DataSourceOptions): Promise<DataSource> {
  const dataSource = await new DataSource(options).initialize();
  poolOf(dataSource).on('release', (_, client) => {
    if (Reflect.get(client, 'readyForQuery') === false) void client.end();
  });
  return dataSource;
}

export function poolOf({ driver }: DataSource): pg.Pool {
  if ('master' in driver && driver.master instanceof pg.Pool) return driver.master;
  throw new Error('TypeORM keeps its pool elsewhere');
}

/** Whether all migrations that this process knows have been run, whoever ran them. */
export async function isMigrated(dataSource: DataSource): Promise<boolean> {
  const [known] = await dataSource.query<{ missing: number }[]>(
    `SELECT count(*)::int AS missing FROM unnest($1::text[]) AS wanted (name)
      WHERE NOT EXISTS (SELECT FROM migrations WHERE migrations.name = wanted.name)`,
    [MIGRATIONS.map(({ name }) => name)],
  );
  return known?.missing === 0;
}

/** Any number, the same in every process: several API and worker processes start at once and only one may migrate. */
const MIGRATION_LOCK = 7_310_442_118;

export class UnreleasedDatabaseError extends UnfitDatabaseError {
  override readonly name = 'UnreleasedDatabaseError';

  constructor() {
    super(
      'This database was made by a version of the service from before its first release, which cannot be upgraded: ' +
        'point DATABASE_URL to an empty database, or for npm start remove the data folder (.data), and the chains are indexed anew.',
    );
  }
}

/**
 * Also makes the partitions of networks that are served for the first time. Throws UnreleasedDatabaseError for a database with other
 * migrations than those since the first release, and as `requireSessions`.
 */
export async function runMigrations(dataSource: DataSource): Promise<void> {
  await requireSessions(poolOf(dataSource));
  await refuseUnreleased(dataSource);
  await withMigrationLock(dataSource, async () => {
    await dataSource.runMigrations({ transaction: 'each' });
    for (const network of networkNames()) await addPartitions(dataSource, network);
  });
}

/** All or none. A network that is no longer configured keeps its rows. */
async function addPartitions(dataSource: DataSource, network: NetworkName): Promise<void> {
  const [table] = await dataSource.query<{ exists: boolean }[]>(
    'SELECT to_regclass($1) IS NOT NULL AS exists',
    [partitionOf('nodes', network)],
  );
  if (table?.exists === true) return;
  await dataSource.transaction(async (manager) => {
    for (const statement of networkPartitions(network)) await manager.query(statement);
  });
}

async function refuseUnreleased(dataSource: DataSource): Promise<void> {
  const [table] = await dataSource.query<{ exists: boolean }[]>(
    "SELECT to_regclass('migrations') IS NOT NULL AS exists",
  );
  if (table?.exists !== true) return;
  const [first] = await dataSource.query<{ name: string }[]>(
    'SELECT name FROM migrations ORDER BY timestamp LIMIT 1',
  );
  if (first !== undefined && first.name !== CreateSchema1795700000000.name) {
    throw new UnreleasedDatabaseError();
  }
}

/** As `runMigrations`. */
export async function revertMigration(dataSource: DataSource): Promise<void> {
  await refuseUnreleased(dataSource);
  await withMigrationLock(dataSource, () => dataSource.undoLastMigration({ transaction: 'each' }));
}

/** Waits for other processes' migrations. */
function withMigrationLock(dataSource: DataSource, migrate: () => Promise<unknown>): Promise<void> {
  return withoutTimeouts(dataSource, async (run) => {
    await run(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    await migrate();
  });
}

/** The rows of a statement; the caller vouches for their shape. */
export type RunSql = <Row extends object>(sql: string) => Promise<Row[]>;

/** Statements on a connection of their own, which may take as long as they want; it is closed afterwards, with its locks and settings. */
export async function withoutTimeouts(
  dataSource: DataSource,
  work: (run: RunSql) => Promise<void>,
): Promise<void> {
  const connection = await poolOf(dataSource).connect();
  connection.on('error', () => undefined); // the next statement fails
  const run: RunSql = async <Row extends object>(text: string) =>
    (await connection.query<Row>(Object.assign({ text }, { query_timeout: NO_TIMEOUT_MS }))).rows;
  try {
    await run('SET statement_timeout = 0');
    await work(run);
  } finally {
    connection.release(true);
  }
}

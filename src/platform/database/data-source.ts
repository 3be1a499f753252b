import { DataSource } from 'typeorm';
import type { DataSourceOptions } from 'typeorm';
import type { Queryable } from './database.js';
import type { EntityClass } from './entity-columns.js';
import { CreateSchema1795700000000 } from './migrations/1795700000000-create-schema.js';
import { SnakeCaseNaming } from './snake-case-naming.js';

/** In order. */
const MIGRATIONS = [CreateSchema1795700000000];

/** A statement that takes longer is a defect; without a bound it would hold its connection forever. */
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Longer than anything is worked out between two statements. A process that stands still in a transaction, or whose machine is gone,
 * must not keep its locks from its successor; when it wakes up, its transaction is over.
 */
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;

/**
 * Every connection's. TCP asks a server that says nothing for 10 s whether it is still there, and after another 10 s gives it up:
 * so ends what has no limit (a migration, a listener), or is idle, when the server's machine is gone.
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
  entities?: readonly EntityClass[];
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
      idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    },
    entities: [...(options.entities ?? [])],
    namingStrategy: new SnakeCaseNaming(),
    synchronize: false,
    migrationsRun: false,
    migrations: [...MIGRATIONS],
  };
}

/** Whether all migrations that this process knows have been run, whoever ran them. */
export async function isMigrated(database: Queryable): Promise<boolean> {
  const [known] = await database.query<{ missing: number }>({
    text: `SELECT count(*)::int AS missing FROM unnest($1::text[]) AS wanted (name)
      WHERE NOT EXISTS (SELECT FROM migrations WHERE migrations.name = wanted.name)`,
    values: [MIGRATIONS.map(({ name }) => name)],
  });
  return known?.missing === 0;
}

/** Any number, the same in every process: several API and worker processes start at once and only one may migrate. */
const MIGRATION_LOCK = 7_310_442_118;

/** Nothing of it is touched, and waiting does not help. */
export class UnreleasedDatabaseError extends Error {
  override readonly name = 'UnreleasedDatabaseError';

  constructor() {
    super(
      'This database was made by a version of the service from before its first release, which cannot be upgraded: ' +
        'point DATABASE_URL to an empty database, or for npm start remove the data folder (.data), and the chains are indexed anew.',
    );
  }
}

/** Throws UnreleasedDatabaseError for a database with other migrations than those since the first release. */
export async function runMigrations(dataSource: DataSource): Promise<void> {
  await refuseUnreleased(dataSource);
  await withMigrationLock(dataSource, () => dataSource.runMigrations({ transaction: 'each' }));
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

export async function revertMigration(dataSource: DataSource): Promise<void> {
  await withMigrationLock(dataSource, () => dataSource.undoLastMigration({ transaction: 'each' }));
}

async function withMigrationLock(dataSource: DataSource, migrate: () => Promise<unknown>): Promise<void> {
  const lockHolder = dataSource.createQueryRunner();
  await lockHolder.connect();
  try {
    await lockHolder.query('SET statement_timeout = 0');
    await lockHolder.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migrate();
  } finally {
    await lockHolder.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lockHolder.query('RESET statement_timeout').catch(() => undefined);
    await lockHolder.release();
  }
}

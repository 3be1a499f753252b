import { DataSource } from 'typeorm';
import type { DataSourceOptions } from 'typeorm';
import type { Queryable } from './database.js';
import { CreateSignatures1795230000000 } from './migrations/1795230000000-create-signatures.js';
import { CreatePChain1795240000000 } from './migrations/1795240000000-create-p-chain.js';
import { CreateEvmAndOperations1795250000000 } from './migrations/1795250000000-create-evm-and-operations.js';
import { UnboundSums1795390000000 } from './migrations/1795390000000-unbound-sums.js';
import { AddLastPaymentsAndL1Weights1795395000000 } from './migrations/1795395000000-add-last-payments-and-l1-weights.js';
import { TellEvmChainsOfNetworksApart1795400000000 } from './migrations/1795400000000-tell-evm-chains-of-networks-apart.js';
import { CoverByFacet1795410000000 } from './migrations/1795410000000-cover-by-facet.js';
import { KeepWatchedLogs1795420000000 } from './migrations/1795420000000-keep-watched-logs.js';
import { IndexAddressesByPartition1795430000000 } from './migrations/1795430000000-index-addresses-by-partition.js';
import { JoinInterchainMessages1795440000000 } from './migrations/1795440000000-join-interchain-messages.js';
import { CreateNftTokens1795460000000 } from './migrations/1795460000000-create-nft-tokens.js';
import { KnowCallers1795490000000 } from './migrations/1795490000000-know-callers.js';
import { MintByRules1795450000000 } from './migrations/1795450000000-mint-by-rules.js';
import { KeepAtomicTransactions1795470000001 } from './migrations/1795470000001-keep-atomic-transactions.js';
import { CreateNativeSupply1795470000002 } from './migrations/1795470000002-create-native-supply.js';
import { ShareUtxos1795470000000 } from './migrations/1795470000000-share-utxos.js';
import { ObserveValidators1795510000000 } from './migrations/1795510000000-observe-validators.js';
import { LeaseUnits1795520000000 } from './migrations/1795520000000-lease-units.js';
import { CreateXChain1795480000000 } from './migrations/1795480000000-create-x-chain.js';
import { WatchProcesses1795600000000 } from './migrations/1795600000000-watch-processes.js';
import { CheckEarlierExports1795610000000 } from './migrations/1795610000000-check-earlier-exports.js';
import { IndexAvaxOnce1795500000000 } from './migrations/1795500000000-index-avax-once.js';

/** In order. */
const MIGRATIONS = [
  CreateSignatures1795230000000,
  CreatePChain1795240000000,
  CreateEvmAndOperations1795250000000,
  UnboundSums1795390000000,
  AddLastPaymentsAndL1Weights1795395000000,
  TellEvmChainsOfNetworksApart1795400000000,
  CoverByFacet1795410000000,
  KeepWatchedLogs1795420000000,
  IndexAddressesByPartition1795430000000,
  JoinInterchainMessages1795440000000,
  MintByRules1795450000000,
  CreateNftTokens1795460000000,
  ShareUtxos1795470000000,
  KeepAtomicTransactions1795470000001,
  CreateNativeSupply1795470000002,
  CreateXChain1795480000000,
  KnowCallers1795490000000,
  IndexAvaxOnce1795500000000,
  ObserveValidators1795510000000,
  LeaseUnits1795520000000,
  WatchProcesses1795600000000,
  CheckEarlierExports1795610000000,
];

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

export async function runMigrations(dataSource: DataSource): Promise<void> {
  await withMigrationLock(dataSource, () => dataSource.runMigrations({ transaction: 'each' }));
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

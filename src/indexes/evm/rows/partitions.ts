import { Injectable, Logger } from '@nestjs/common';
import { evmChainKey, evmChainName, type EvmChainRef } from '../../../platform/database/chains.js';
import { Database, type Queryable, type Transaction } from '../../../platform/database/database.js';
import { type HeightRange, includes } from '../../engine/coverage/height-range.js';
import { LOCK_NOT_AVAILABLE } from '../../engine/following/index-lock.js';
import { sqlStateOf } from '../../engine/sql/refused-row.js';
import { lockTables } from '../../engine/sql/table-locks.js';
import { addressIndexes, buildIndex, findMissing, makeIndex } from './address-indexes.js';

/** Tables that are partitioned by chain, and each chain's part by heights. In the order in which exports read them. */
const EVM_TABLES = [
  'evm_blocks',
  'evm_transactions',
  'evm_internal_transfers',
  'evm_transfers',
  'evm_atomic_transfers',
] as const;

export type EvmTable = (typeof EVM_TABLES)[number];

/** Dropping a partition waits no longer than this for readers, because everything that comes after it waits as well. */
const DROP_TIMEOUT_MS = 2_000;

/**
 * `tip`: it begins where the tip is, so that what is beneath can be filled in otherwise. `backfill`: it gets its indexes of addresses
 * when it is full.
 */
export type PartitionUse = 'tip' | 'backfill';

interface PartitionSize {
  /** Of its blocks together: its indexes, which are written at random places, fit in memory then. */
  readonly rows: number;
  /** A chain that is empty now may not be so later. */
  readonly maxBlocks: number;
  /** One that is crowded must not have thousands of partitions. */
  readonly minBlocks: number;
}

interface Partition extends HeightRange {
  /** Whether it has all indexes of addresses. */
  readonly isIndexed: boolean;
}

/**
 * The partitions of EVM chains, made when their first block comes, the smaller the more their blocks hold. They are made beside the
 * table and attached to it then, which does not block reading or writing the others.
 */
@Injectable()
export class EvmPartitions {
  protected readonly size: PartitionSize = { rows: 8_000_000, maxBlocks: 2 ** 20, minBlocks: 2 ** 14 };
  private readonly logger = new Logger(EvmPartitions.name);
  private readonly known = new Map<bigint, readonly Partition[]>();

  constructor(private readonly database: Database) {}

  /** Makes what rows of these heights need; `rowsPerBlock` is what neighbouring blocks have. */
  async ensure(
    chain: EvmChainRef,
    { from, to }: HeightRange,
    rowsPerBlock: number,
    use?: PartitionUse,
  ): Promise<void> {
    const key = evmChainKey(chain);
    for (let height = from; height <= to;) {
      const known = this.known.get(key) ?? [];
      const holding = known.find((range) => includes(range, height));
      if (holding === undefined) await this.make(chain, height, rowsPerBlock, use);
      else height = holding.to + 1n;
    }
  }

  /**
   * Makes the indexes of addresses that are missing, save those of the partition that still fills. Each is a transaction of its own:
   * who is interrupted, or dies, goes on there the next time.
   */
  async makeIndexes(chain: EvmChainRef, filling: bigint | undefined, signal: AbortSignal): Promise<void> {
    const key = evmChainKey(chain);
    const known = this.known.get(key) ?? (await findPartitions(this.database, chain));
    const isDue = (each: Partition): boolean =>
      !each.isIndexed && (filling === undefined || !includes(each, filling));
    this.forget(chain); // looked up again if one of them has been dropped
    for (const partition of known.filter(isDue)) await this.index(chain, partition, signal);
    this.known.set(
      key,
      known.map((each) => (isDue(each) ? { ...each, isIndexed: true } : each)),
    );
  }

  /** Which ones there are is looked up again. */
  forget(chain: EvmChainRef): void {
    this.known.delete(evmChainKey(chain));
  }

  /** Where the partition begins that has the newest block from before a time: all heights beneath it are older. 0 when there is none. */
  async edgeBefore(chain: EvmChainRef, seconds: number): Promise<bigint> {
    const [row] = await this.database.query<{ height: string }>({
      text: `SELECT height FROM evm_blocks WHERE chain_key = $1 AND block_time < $2
              ORDER BY block_time DESC, height DESC LIMIT 1`,
      values: [evmChainKey(chain), seconds],
    });
    if (row === undefined) return 0n;
    const partitions = await findPartitions(this.database, chain);
    return partitions.find((range) => includes(range, BigInt(row.height)))?.from ?? 0n;
  }

  /**
   * Drops those whose heights are all beneath one, each table's by itself: none of those who read several has to wait for two. What
   * is being read is dropped another time.
   */
  async dropBelow(chain: EvmChainRef, edge: bigint): Promise<void> {
    const old = (await findPartitions(this.database, chain)).filter(({ to }) => to < edge);
    if (old.length === 0) return;
    try {
      // Partitions are found through evm_blocks: it is dropped last, so that after a crash in between the others are found again.
      for (const partition of old) {
        for (const table of EVM_TABLES.toReversed()) await this.drop(table, chain, partition);
      }
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    } finally {
      this.forget(chain);
    }
  }

  /** Empties those of a chain, within the caller's transaction. They stay, because other processes remember them. */
  async truncate(transaction: Transaction, chain: EvmChainRef): Promise<void> {
    const rows = await transaction.query<{ name: string }>({
      text: 'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
      values: [EVM_TABLES.map((table) => chainPartition(table, chain))],
    });
    if (rows.length === 0) return;
    const names = rows.map(({ name }) => name);
    await lockPartitions(transaction, chain); // who makes or drops one locks the tables in the opposite order
    await lockTables(transaction, names);
    await transaction.execute({ text: `TRUNCATE ${names.join(', ')}`, values: [] });
  }

  private async index(chain: EvmChainRef, partition: HeightRange, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    for (const index of addressIndexes(suffixOf(chain, partition))) {
      signal.throwIfAborted();
      await buildIndex(this.database, index);
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const blocks = `blocks ${partition.from} to ${partition.to}`;
    const name = `${evmChainName(chain.chainId)} of ${chain.network}`;
    this.logger.log(`indexed the addresses of ${name}, ${blocks}, in ${seconds} s`);
  }

  private blocksFor(rowsPerBlock: number): bigint {
    const { rows, maxBlocks, minBlocks } = this.size;
    const wanted = 2 ** Math.floor(Math.log2(rows / Math.max(rowsPerBlock, 1)));
    return BigInt(Math.min(maxBlocks, Math.max(minBlocks, wanted)));
  }

  private async drop(table: EvmTable, chain: EvmChainRef, partition: HeightRange): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await lockPartitions(transaction, chain);
      await transaction.query({
        text: `SELECT set_config('lock_timeout', '${DROP_TIMEOUT_MS}', true)`,
        values: [],
      });
      const name = `${table}${suffixOf(chain, partition)}`;
      await transaction.execute({ text: `DROP TABLE IF EXISTS ${name}`, values: [] });
    });
  }

  private async make(
    chain: EvmChainRef,
    height: bigint,
    rowsPerBlock: number,
    use?: PartitionUse,
  ): Promise<void> {
    const key = evmChainKey(chain);
    const made = await this.database.transaction(async (transaction) => {
      await lockPartitions(transaction, chain);
      const known = await findPartitions(transaction, chain);
      if (known.some((range) => includes(range, height))) return known;
      const range = choosePartition(known, height, this.blocksFor(rowsPerBlock), use);
      for (const table of EVM_TABLES) await makePartition(transaction, table, chain, range);
      const isIndexed = use !== 'backfill';
      if (isIndexed) {
        for (const index of addressIndexes(suffixOf(chain, range))) await makeIndex(transaction, index);
      }
      return [...known, { ...range, isIndexed }];
    });
    this.known.set(key, made);
  }
}

/** The part of a table that holds one chain. It is not there before the chain's first block. */
function chainPartition(table: EvmTable, chain: EvmChainRef): string {
  return `${table}_${evmChainKey(chain)}`;
}

/** How the names of those end that begin at a height. */
function suffixOf(chain: EvmChainRef, { from }: Pick<HeightRange, 'from'>): string {
  return `_${evmChainKey(chain)}_${from}`;
}

/** Of two processes with the same wish one waits, and then finds it fulfilled. */
async function lockPartitions(transaction: Transaction, chain: EvmChainRef): Promise<void> {
  await transaction.query({
    text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`evm-partitions:${evmChainKey(chain)}`],
  });
}

/** At a multiple of its width, and not over its neighbours. */
function choosePartition(
  known: readonly HeightRange[],
  height: bigint,
  blocks: bigint,
  use?: PartitionUse,
): HeightRange {
  const start = (height / blocks) * blocks;
  const below = known.filter(({ to }) => to < height).map(({ to }) => to + 1n);
  const above = known.filter(({ from }) => from > height).map(({ from }) => from - 1n);
  return {
    from: use === 'tip' ? height : below.reduce((highest, from) => (from > highest ? from : highest), start),
    to: above.reduce((lowest, to) => (to < lowest ? to : lowest), start + blocks - 1n),
  };
}

async function findPartitions(queryable: Queryable, chain: EvmChainRef): Promise<Partition[]> {
  const rows = await queryable.query<{ from: string; behind: string }>({
    text: `SELECT bounds[1] AS from, bounds[2] AS behind
             FROM pg_partition_tree(to_regclass($1)) AS tree
             JOIN pg_class AS class ON class.oid = tree.relid AND tree.isleaf
             CROSS JOIN regexp_match(pg_get_expr(class.relpartbound, class.oid), '\\(''(\\d+)''\\) TO \\(''(\\d+)''\\)') AS bounds
            WHERE bounds IS NOT NULL`,
    values: [chainPartition('evm_blocks', chain)],
  });
  const ranges = rows.map(({ from, behind }) => ({ from: BigInt(from), to: BigInt(behind) - 1n }));
  const missing = await findMissing(
    queryable,
    ranges.flatMap((range) => addressIndexes(suffixOf(chain, range))),
  );
  return ranges.map((range) => {
    const isIndexed = addressIndexes(suffixOf(chain, range)).every(({ name }) => !missing.has(name));
    return { ...range, isIndexed };
  });
}

async function makePartition(
  transaction: Transaction,
  table: EvmTable,
  chain: EvmChainRef,
  { from, to }: HeightRange,
): Promise<void> {
  const name = chainPartition(table, chain);
  const ofChain = {
    parent: table,
    name,
    bounds: `IN (${evmChainKey(chain)})`,
    division: 'PARTITION BY RANGE (height)',
  };
  const ofHeights = {
    parent: name,
    name: `${table}${suffixOf(chain, { from })}`,
    bounds: `FROM (${from}) TO (${to + 1n})`,
    division: '',
  };
  for (const partition of [ofChain, ofHeights]) await attach(transaction, partition);
}

async function attach(
  transaction: Transaction,
  { parent, name, bounds, division }: { parent: string; name: string; bounds: string; division: string },
): Promise<void> {
  const [known] = await transaction.query({
    text: 'SELECT 1 WHERE to_regclass($1) IS NOT NULL',
    values: [name],
  });
  if (known !== undefined) return;
  await transaction.execute({
    text: `CREATE TABLE ${name} (LIKE ${parent} INCLUDING ALL) ${division}`,
    values: [],
  });
  await transaction.execute({
    text: `ALTER TABLE ${parent} ATTACH PARTITION ${name} FOR VALUES ${bounds}`,
    values: [],
  });
}

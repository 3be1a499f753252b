import { greatest, least } from '../../../avalanche/bigints.js';
import { Injectable } from '@nestjs/common';
import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';
import { Database, type Queryable, type Transaction } from '../../../platform/database/database.js';
import { type HeightRange, includes } from '../../engine/coverage/height-range.js';
import { LOCK_NOT_AVAILABLE } from '../../engine/following/index-lock.js';
import { sqlStateOf } from '../../engine/sql/refused-row.js';
import { EVM_TABLES, type EvmTable } from './evm-tables.js';
import { makeIndexes } from './partition-indexes.js';

/** Dropping a partition waits no longer than this for readers, because everything that comes after it waits as well. */
const DROP_TIMEOUT_MS = 900;

/** So many blocks are counted to estimate the rows of those beside them. */
const SAMPLE_BLOCKS = 1_000n;

interface PartitionSize {
  /** Of its blocks together: its indexes, which are written at random places, fit in memory then. */
  readonly rows: number;
  /** A chain that is empty now may not be so later. */
  readonly maxBlocks: number;
  /** One that is crowded must not have thousands of partitions. */
  readonly minBlocks: number;
}

type InTransaction = (work: (transaction: Transaction) => Promise<void>) => Promise<void>;

/** The part of one table that holds some heights of a chain. */
interface Leaf extends HeightRange {
  readonly name: string;
}

/**
 * The partitions of EVM chains, the smaller the more their blocks hold: made when the tip's first block comes, or beside the tables
 * (builds.ts). Attaching them does not block reading or writing the others.
 */
@Injectable()
export class EvmPartitions {
  protected readonly size: PartitionSize = { rows: 8_000_000, maxBlocks: 2 ** 20, minBlocks: 2 ** 14 };
  private readonly known = new Map<bigint, readonly HeightRange[]>();

  constructor(private readonly database: Database) {}

  /**
   * Makes what rows of these heights need; `rowsPerBlock` is what they have themselves. The tip's first partition begins where it is, so
   * that what is beneath can be made otherwise.
   */
  async ensure(
    chain: EvmChainRef,
    { from, to }: HeightRange,
    rowsPerBlock: number,
    isTip = false,
  ): Promise<void> {
    const key = evmChainKey(chain);
    for (let height = from; height <= to;) {
      const known = this.known.get(key) ?? [];
      const holding = known.find((range) => includes(range, height));
      if (holding === undefined) await this.make(chain, height, rowsPerBlock, isTip);
      else height = holding.to + 1n;
    }
  }

  /** Which ones there are is looked up again. */
  forget(chain: EvmChainRef): void {
    this.known.delete(evmChainKey(chain));
  }

  /** The heights that a new partition gets which is to hold this one, and not what others have; by the blocks above, where there are some. */
  async choose(
    queryable: Queryable,
    chain: EvmChainRef,
    height: bigint,
    taken: readonly HeightRange[],
    { rowsPerBlock, isTip = false }: { rowsPerBlock?: number; isTip?: boolean } = {},
  ): Promise<HeightRange> {
    const sampled = await rowsPerBlockAbove(queryable, chain, height);
    const neighbour = taken.find(({ from }) => from > height);
    const blocks =
      sampled === undefined && rowsPerBlock === undefined && neighbour !== undefined
        ? neighbour.to - neighbour.from + 1n
        : this.blocksFor(sampled ?? rowsPerBlock ?? 1);
    const start = (height / blocks) * blocks;
    const below = taken.filter(({ to }) => to < height).map(({ to }) => to + 1n);
    const above = taken.filter(({ from }) => from > height).map(({ from }) => from - 1n);
    return {
      from: isTip ? height : greatest(start, ...below),
      to: least(start + blocks - 1n, ...above),
    };
  }

  /** The tables that hold the rows of a height. */
  async findTables(chain: EvmChainRef, height: bigint): Promise<string[]> {
    const tables: string[] = [];
    for (const table of EVM_TABLES) {
      const leaves = await findLeaves(this.database, table, chain);
      tables.push(...leaves.filter((leaf) => includes(leaf, height)).map(({ name }) => name));
    }
    return tables;
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
   * Drops those whose heights are all among these, each table's by itself: nobody who reads several has to wait for two. Throws
   * TablesBusyError for what is being read. `inTransaction`: for each by itself.
   */
  async dropWithin(
    chain: EvmChainRef,
    { from, to }: HeightRange,
    inTransaction: InTransaction = (work) => this.database.transaction(work),
  ): Promise<void> {
    try {
      // Partitions are found through evm_blocks: it is dropped last, so that after a crash in between the others are found again.
      for (const table of EVM_TABLES.toReversed()) {
        const leaves = await findLeaves(this.database, table, chain);
        for (const leaf of leaves.filter((each) => each.from >= from && each.to <= to)) {
          await inTransaction((transaction) => drop(transaction, chain, leaf));
        }
      }
    } finally {
      this.forget(chain);
    }
  }

  private blocksFor(rowsPerBlock: number): bigint {
    const { rows, maxBlocks, minBlocks } = this.size;
    const wanted = 2 ** Math.floor(Math.log2(rows / Math.max(rowsPerBlock, 1)));
    return BigInt(Math.min(maxBlocks, Math.max(minBlocks, wanted)));
  }

  private async make(
    chain: EvmChainRef,
    height: bigint,
    rowsPerBlock: number,
    isTip: boolean,
  ): Promise<void> {
    const made = await this.database.transaction(async (transaction) => {
      await lockPartitions(transaction, chain);
      const known = await findPartitions(transaction, chain);
      if (known.some((range) => includes(range, height))) return known;
      const range = await this.choose(transaction, chain, height, known, { rowsPerBlock, isTip });
      for (const table of EVM_TABLES) await makePartition(transaction, table, chain, range);
      return [...known, range];
    });
    this.known.set(evmChainKey(chain), made);
  }
}

async function drop(transaction: Transaction, chain: EvmChainRef, { name }: Leaf): Promise<void> {
  await lockPartitions(transaction, chain);
  await transaction.execute({ text: `SET LOCAL lock_timeout = ${DROP_TIMEOUT_MS}`, values: [] });
  await transaction.execute({ text: `DROP TABLE IF EXISTS ${name}`, values: [] }).catch(busyTables);
}

/** Readers of one of the tables took too long. */
export class TablesBusyError extends Error {
  override readonly name = 'TablesBusyError';
}

export function busyTables(error: unknown): never {
  if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
  throw new TablesBusyError('somebody reads the tables', { cause: error });
}

/** Of two processes with the same wish one waits, and then finds it fulfilled. */
export async function lockPartitions(transaction: Transaction, chain: EvmChainRef): Promise<void> {
  await transaction.query({
    text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`evm-partitions:${evmChainKey(chain)}`],
  });
}

/** Those of a chain, ascending. */
export async function findPartitions(queryable: Queryable, chain: EvmChainRef): Promise<HeightRange[]> {
  const leaves = await findLeaves(queryable, 'evm_blocks', chain);
  return leaves.map(({ from, to }) => ({ from, to }));
}

/** Whatever they are called, ascending. */
export async function findLeaves(queryable: Queryable, table: EvmTable, chain: EvmChainRef): Promise<Leaf[]> {
  const rows = await queryable.query<{ name: string; from: string; behind: string }>({
    text: `SELECT tree.relid::regclass::text AS name, bounds[1] AS from, bounds[2] AS behind
             FROM pg_partition_tree(to_regclass($1)) AS tree
             JOIN pg_class AS class ON class.oid = tree.relid AND tree.isleaf
             CROSS JOIN regexp_match(pg_get_expr(class.relpartbound, class.oid), '\\(''(\\d+)''\\) TO \\(''(\\d+)''\\)') AS bounds
            WHERE bounds IS NOT NULL ORDER BY bounds[1]::bigint`,
    values: [chainPartition(table, chain)],
  });
  return rows.map(({ name, from, behind }) => ({ name, from: BigInt(from), to: BigInt(behind) - 1n }));
}

/** Tables that come with those that a build makes, empty ones. */
export async function makeOtherPartitions(
  transaction: Transaction,
  chain: EvmChainRef,
  range: HeightRange,
  made: readonly EvmTable[],
): Promise<void> {
  for (const table of EVM_TABLES) {
    if (!made.includes(table)) await makePartition(transaction, table, chain, range);
  }
}

/** Has a table that holds nothing else as the part for these heights. */
export async function attachPartition(
  transaction: Transaction,
  table: EvmTable,
  chain: EvmChainRef,
  { from, to, name }: Leaf,
): Promise<void> {
  await makeChainPartition(transaction, table, chain);
  await transaction.execute({
    text: `ALTER TABLE ${chainPartition(table, chain)} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to + 1n})`,
    values: [],
  });
}

/** The part of a table that holds one chain. It is not there before the chain's first block. */
function chainPartition(table: EvmTable, chain: EvmChainRef): string {
  return `${table}_${evmChainKey(chain)}`;
}

async function makePartition(
  transaction: Transaction,
  table: EvmTable,
  chain: EvmChainRef,
  { from, to }: HeightRange,
): Promise<void> {
  const name = `${table}_${evmChainKey(chain)}_${from}`;
  await transaction.execute({ text: `CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`, values: [] });
  await makeIndexes(transaction, table, name);
  await attachPartition(transaction, table, chain, { name, from, to });
}

async function makeChainPartition(
  transaction: Transaction,
  table: EvmTable,
  chain: EvmChainRef,
): Promise<void> {
  const name = chainPartition(table, chain);
  const [known] = await transaction.query({
    text: 'SELECT 1 WHERE to_regclass($1) IS NOT NULL',
    values: [name],
  });
  if (known !== undefined) return;
  await transaction.execute({
    text: `CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL) PARTITION BY RANGE (height)`,
    values: [],
  });
  await transaction.execute({
    text: `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES IN (${evmChainKey(chain)})`,
    values: [],
  });
}

/** Mean of the nearest blocks above a height; undefined where none are on record. */
async function rowsPerBlockAbove(
  queryable: Queryable,
  chain: EvmChainRef,
  height: bigint,
): Promise<number | undefined> {
  const [row] = await queryable.query<{ blocks: number; rows: number }>({
    text: `WITH sample AS (
             SELECT min(height) AS lowest, max(height) AS highest, count(*)::int AS blocks FROM (
               SELECT height FROM evm_blocks WHERE chain_key = $1 AND height > $2 ORDER BY height LIMIT ${SAMPLE_BLOCKS}
             ) AS nearest)
           SELECT blocks,
             (SELECT count(*)::int FROM evm_transactions WHERE chain_key = $1 AND height BETWEEN lowest AND highest)
             + (SELECT count(*)::int FROM evm_transfers WHERE chain_key = $1 AND height BETWEEN lowest AND highest) AS rows
             FROM sample`,
    values: [evmChainKey(chain), height],
  });
  return row === undefined || row.blocks === 0 ? undefined : row.rows / row.blocks;
}

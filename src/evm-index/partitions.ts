import { Injectable } from '@nestjs/common';
import { type EvmChainRef, evmChainKey } from '../database/chains.js';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import type { HeightRange } from '../indexing/height-range.js';

/** Tables that are partitioned by chain, and each chain's part by heights. */
export const EVM_TABLES = [
  'evm_blocks',
  'evm_transactions',
  'evm_transfers',
  'evm_internal_transfers',
  'evm_atomic_transfers',
] as const;

export type EvmTable = (typeof EVM_TABLES)[number];

/** Of its blocks together: its indexes, which are written at random places, fit in memory then. */
const ROWS_PER_PARTITION = 8_000_000;
/** A chain that is empty now may not be so later; one that is crowded must not have thousands of partitions. */
const MAX_BLOCKS = 2 ** 20;
const MIN_BLOCKS = 2 ** 14;

/**
 * The partitions of EVM chains, made when their first block comes, the smaller the more their blocks hold. They are made beside the
 * table and attached to it then, which keeps nobody from reading or writing the others.
 */
@Injectable()
export class EvmPartitions {
  private readonly known = new Map<bigint, readonly HeightRange[]>();

  constructor(private readonly database: Database) {}

  /** Makes what rows of these heights need; `rowsPerBlock` is what neighbouring blocks have. */
  async ensure(chain: EvmChainRef, { from, to }: HeightRange, rowsPerBlock: number): Promise<void> {
    const key = evmChainKey(chain);
    for (let height = from; height <= to;) {
      const known = this.known.get(key) ?? [];
      const holding = known.find((range) => range.from <= height && height <= range.to);
      if (holding === undefined) await this.make(chain, height, rowsPerBlock);
      else height = holding.to + 1n;
    }
  }

  /** Empties those of a chain, within the caller's transaction. They stay, because other processes remember them. */
  async truncate(transaction: Transaction, chain: EvmChainRef): Promise<void> {
    const rows = await transaction.query<{ name: string }>({
      text: 'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
      values: [EVM_TABLES.map((table) => chainPartition(table, chain))],
    });
    if (rows.length === 0) return;
    await transaction.execute({
      text: `TRUNCATE ${rows.map(({ name }) => name).join(', ')}`,
      values: [],
    });
  }

  private async make(chain: EvmChainRef, height: bigint, rowsPerBlock: number): Promise<void> {
    const key = evmChainKey(chain);
    const made = await this.database.transaction(async (transaction) => {
      // Of two processes with the same wish one waits, and then finds it fulfilled.
      await transaction.query({
        text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
        values: [`evm-partitions:${key}`],
      });
      const known = await findPartitions(transaction, chain);
      if (known.some((range) => range.from <= height && height <= range.to)) return known;
      const range = choosePartition(known, height, rowsPerBlock);
      for (const table of EVM_TABLES) await makePartition(transaction, table, chain, range);
      return [...known, range];
    });
    this.known.set(key, made);
  }
}

/** The part of a table that holds one chain. It is not there before the chain's first block. */
export function chainPartition(table: EvmTable, chain: EvmChainRef): string {
  return `${table}_${evmChainKey(chain)}`;
}

/** As wide as its rows allow, at a multiple of its width, and not over its neighbours. */
export function choosePartition(
  known: readonly HeightRange[],
  height: bigint,
  rowsPerBlock: number,
): HeightRange {
  const wanted = ROWS_PER_PARTITION / Math.max(rowsPerBlock, 1);
  const blocks = BigInt(Math.min(MAX_BLOCKS, Math.max(MIN_BLOCKS, 2 ** Math.floor(Math.log2(wanted)))));
  const start = (height / blocks) * blocks;
  const below = known.filter(({ to }) => to < height).map(({ to }) => to + 1n);
  const above = known.filter(({ from }) => from > height).map(({ from }) => from - 1n);
  return {
    from: below.reduce((highest, from) => (from > highest ? from : highest), start),
    to: above.reduce((lowest, to) => (to < lowest ? to : lowest), start + blocks - 1n),
  };
}

async function findPartitions(queryable: Queryable, chain: EvmChainRef): Promise<HeightRange[]> {
  const rows = await queryable.query<{ from: string; behind: string }>({
    text: `SELECT bounds[1] AS from, bounds[2] AS behind
             FROM pg_partition_tree(to_regclass($1)) AS tree
             JOIN pg_class AS class ON class.oid = tree.relid AND tree.isleaf
             CROSS JOIN regexp_match(pg_get_expr(class.relpartbound, class.oid), '\\(''(\\d+)''\\) TO \\(''(\\d+)''\\)') AS bounds
            WHERE bounds IS NOT NULL`,
    values: [chainPartition('evm_blocks', chain)],
  });
  return rows.map(({ from, behind }) => ({ from: BigInt(from), to: BigInt(behind) - 1n }));
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
    name: `${name}_${from}`,
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

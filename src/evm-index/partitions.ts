import { Injectable } from '@nestjs/common';
import { type EvmChainRef, evmChainKey } from '../database/chains.js';
import { Database, type Transaction } from '../database/database.js';

/** Tables that are partitioned by chain, and each chain's part by heights. */
export const EVM_TABLES = [
  'evm_blocks',
  'evm_transactions',
  'evm_transfers',
  'evm_internal_transfers',
  'evm_atomic_transfers',
  'evm_logs',
] as const;

export type EvmTable = (typeof EVM_TABLES)[number];

/** About two weeks of the C-chain: few enough partitions for planning, small enough ones for their indexes to fit in memory. */
const BLOCKS_PER_PARTITION = 1_000_000n;

/**
 * The partitions of EVM chains, made when their first block comes. They are made beside the table and attached to it then, which
 * keeps nobody from reading or writing the others.
 */
@Injectable()
export class EvmPartitions {
  private readonly made = new Set<string>();

  constructor(private readonly database: Database) {}

  /** Makes what rows of these heights need. */
  async ensure(chain: EvmChainRef, from: bigint, to: bigint): Promise<void> {
    for (let part = from / BLOCKS_PER_PARTITION; part <= to / BLOCKS_PER_PARTITION; part += 1n) {
      const name = `${evmChainKey(chain)}_${part}`;
      if (this.made.has(name)) continue;
      await this.database.transaction((transaction) => make(transaction, chain, part));
      this.made.add(name);
    }
  }

  /** Empties those of a chain, within the caller's transaction. They stay, because other processes remember them. */
  async truncate(transaction: Transaction, chain: EvmChainRef): Promise<void> {
    const names = EVM_TABLES.map((table) => chainPartition(table, chain));
    const rows = await transaction.query<{ name: string }>({
      text: 'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
      values: [names],
    });
    if (rows.length === 0) return;
    await transaction.execute({ text: `TRUNCATE ${rows.map(({ name }) => name).join(', ')}`, values: [] });
  }
}

/** The part of a table that holds one chain. It is not there before the chain's first block. */
export function chainPartition(table: EvmTable, chain: EvmChainRef): string {
  return `${table}_${evmChainKey(chain)}`;
}

async function make(transaction: Transaction, chain: EvmChainRef, part: bigint): Promise<void> {
  const key = evmChainKey(chain);
  // Of two processes with the same wish one waits, and then finds it fulfilled.
  await transaction.execute({
    text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`evm-partitions:${key}`],
  });
  for (const table of EVM_TABLES) {
    const name = chainPartition(table, chain);
    await attach(transaction, {
      parent: table,
      name,
      bounds: `IN (${key})`,
      division: 'PARTITION BY RANGE (height)',
    });
    const [from, to] = [part * BLOCKS_PER_PARTITION, (part + 1n) * BLOCKS_PER_PARTITION];
    await attach(transaction, {
      parent: name,
      name: `${name}_${part}`,
      bounds: `FROM (${from}) TO (${to})`,
      division: '',
    });
  }
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

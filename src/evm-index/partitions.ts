import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { type EvmChainRef, evmChainKey } from '../database/chains.js';
import { select } from '../indexing/sql/select.js';

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

  constructor(private readonly dataSource: DataSource) {}

  /** Makes what rows of these heights need. */
  async ensure(chain: EvmChainRef, from: bigint, to: bigint): Promise<void> {
    for (let part = from / BLOCKS_PER_PARTITION; part <= to / BLOCKS_PER_PARTITION; part += 1n) {
      const name = `${evmChainKey(chain)}_${part}`;
      if (this.made.has(name)) continue;
      await this.dataSource.transaction(({ queryRunner }) => make(queryRunner, chain, part));
      this.made.add(name);
    }
  }

  /** Empties those of a chain, within the caller's transaction. They stay, because other processes remember them. */
  async truncate(runner: QueryRunner, chain: EvmChainRef): Promise<void> {
    const names = EVM_TABLES.map((table) => chainPartition(table, chain));
    const rows = await select<{ name: string }>(
      runner,
      'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
      [names],
    );
    if (rows.length > 0) await runner.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')}`);
  }
}

/** The part of a table that holds one chain. It is not there before the chain's first block. */
export function chainPartition(table: EvmTable, chain: EvmChainRef): string {
  return `${table}_${evmChainKey(chain)}`;
}

async function make(runner: QueryRunner | undefined, chain: EvmChainRef, part: bigint): Promise<void> {
  if (runner === undefined) throw new TypeError('a transaction has a query runner');
  const key = evmChainKey(chain);
  // Of two processes with the same wish one waits, and then finds it fulfilled.
  await runner.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`evm-partitions:${key}`]);
  for (const table of EVM_TABLES) {
    const name = chainPartition(table, chain);
    await attach(runner, {
      parent: table,
      name,
      bounds: `IN (${key})`,
      division: 'PARTITION BY RANGE (height)',
    });
    const [from, to] = [part * BLOCKS_PER_PARTITION, (part + 1n) * BLOCKS_PER_PARTITION];
    await attach(runner, {
      parent: name,
      name: `${name}_${part}`,
      bounds: `FROM (${from}) TO (${to})`,
      division: '',
    });
  }
}

async function attach(
  runner: QueryRunner,
  { parent, name, bounds, division }: { parent: string; name: string; bounds: string; division: string },
): Promise<void> {
  const [known] = await select(runner, 'SELECT 1 WHERE to_regclass($1) IS NOT NULL', [name]);
  if (known !== undefined) return;
  await runner.query(`CREATE TABLE ${name} (LIKE ${parent} INCLUDING ALL) ${division}`);
  await runner.query(`ALTER TABLE ${parent} ATTACH PARTITION ${name} FOR VALUES ${bounds}`);
}

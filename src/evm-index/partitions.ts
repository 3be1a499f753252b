import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { select } from '../indexing/sql/select.js';

/** Tables that are partitioned by chain, and each chain's part by heights. */
export const EVM_TABLES = ['evm_blocks', 'evm_transactions', 'evm_transfers'] as const;

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
  async ensure(chainId: bigint, from: bigint, to: bigint): Promise<void> {
    for (let part = from / BLOCKS_PER_PARTITION; part <= to / BLOCKS_PER_PARTITION; part += 1n) {
      const key = `${chainId}_${part}`;
      if (this.made.has(key)) continue;
      await this.dataSource.transaction(({ queryRunner }) => make(queryRunner, chainId, part));
      this.made.add(key);
    }
  }

  /** Empties those of a chain, within the caller's transaction. They stay, because other processes remember them. */
  async truncate(runner: QueryRunner, chainId: bigint): Promise<void> {
    const names = EVM_TABLES.map((table) => chainPartition(table, chainId));
    const rows = await select<{ name: string }>(
      runner,
      'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
      [names],
    );
    if (rows.length > 0) await runner.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')}`);
  }
}

/** The part of a table that holds one chain. It is not there before the chain's first block. */
export function chainPartition(table: EvmTable, chainId: bigint): string {
  return `${table}_${chainId}`;
}

async function make(runner: QueryRunner | undefined, chainId: bigint, part: bigint): Promise<void> {
  if (runner === undefined) throw new TypeError('a transaction has a query runner');
  // Of two processes with the same wish one waits, and then finds it fulfilled.
  await runner.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`evm-partitions:${chainId}`]);
  for (const table of EVM_TABLES) {
    const chain = chainPartition(table, chainId);
    await attach(runner, {
      parent: table,
      name: chain,
      bounds: `IN (${chainId})`,
      division: 'PARTITION BY RANGE (height)',
    });
    const [from, to] = [part * BLOCKS_PER_PARTITION, (part + 1n) * BLOCKS_PER_PARTITION];
    await attach(runner, {
      parent: chain,
      name: `${chain}_${part}`,
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

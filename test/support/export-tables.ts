import type { DataSource } from 'typeorm';
import { evmChainName } from '../../src/database/chains.js';

/** Heights in one partition. */
const PARTITION_HEIGHTS = 1_000_000;

/** Partitions of a chain's tables for the heights from 0 to `lastHeight`. */
export async function createEvmPartitions(
  dataSource: DataSource,
  chainId: bigint,
  lastHeight: number,
): Promise<void> {
  for (const table of ['evm_blocks', 'evm_transactions', 'evm_transfers']) {
    const ofChain = `${table}_${chainId}`;
    await dataSource.query(
      `CREATE TABLE IF NOT EXISTS ${ofChain} PARTITION OF ${table} FOR VALUES IN (${chainId}) PARTITION BY RANGE (height)`,
    );
    for (let from = 0; from <= lastHeight; from += PARTITION_HEIGHTS) {
      await dataSource.query(
        `CREATE TABLE IF NOT EXISTS ${ofChain}_${from} PARTITION OF ${ofChain}
           FOR VALUES FROM (${from}) TO (${from + PARTITION_HEIGHTS})`,
      );
    }
  }
}

export interface StoredRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly isTraced: boolean;
}

/** The checkpoint as the index writes it: which heights the tables have completely. */
export async function storeCoverage(
  dataSource: DataSource,
  { network, chainId }: { network: string; chainId: bigint },
  ranges: readonly StoredRange[],
): Promise<void> {
  const state = {
    ranges: ranges.map(({ from, to, isTraced }) => ({ from: String(from), to: String(to), isTraced })),
  };
  await dataSource.query(
    `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state) VALUES ($1, $2, $3, $4, 0, $5)
     ON CONFLICT (network, chain) DO UPDATE SET height = EXCLUDED.height, state = EXCLUDED.state`,
    [network, evmChainName(chainId), String(ranges.at(-1)?.to ?? 0), Buffer.alloc(32), JSON.stringify(state)],
  );
}

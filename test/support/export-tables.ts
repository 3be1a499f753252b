import type { DataSource } from 'typeorm';
import { Database } from '../../src/database/database.js';
import type { BlockWithMovements } from '../../src/avalanche/evm/movement-reader.js';
import type { TokenMetadata } from '../../src/avalanche/evm/token-metadata.js';
import { evmChainName } from '../../src/database/chains.js';
import type { EvmChain } from '../../src/evm-chains/evm-chain.js';
import { advance, packState } from '../../src/evm-index/checkpoint.js';
import { EvmPartitions } from '../../src/evm-index/partitions.js';
import { EvmWriter } from '../../src/evm-index/evm-writer.js';
import type { HeightRange } from '../../src/evm-index/ranges.js';

type ChainKey = Pick<EvmChain, 'network' | 'chainId'>;

/** The checkpoint as the index writes it: which heights the tables have completely. */
export async function storeCoverage(
  dataSource: DataSource,
  { network, chainId }: ChainKey,
  ranges: readonly HeightRange[],
): Promise<void> {
  const height = ranges.at(-1)?.to ?? 0n;
  const hash = `0x${'0'.repeat(64)}` as const;
  const state = packState({ ranges, height, hash, blockTime: 0, genesisHash: null, firstHeight: 0n });
  await dataSource.query(
    `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state) VALUES ($1, $2, $3, $4, 0, $5)
     ON CONFLICT (network, chain) DO UPDATE SET height = EXCLUDED.height, state = EXCLUDED.state`,
    [network, evmChainName(chainId), String(height), Buffer.alloc(32), state],
  );
}

/** Writes blocks as the index does, each stretch of neighbours as a range of its own. */
export async function indexBlocks(
  dataSource: DataSource,
  chain: ChainKey,
  stretches: readonly (readonly BlockWithMovements[])[],
  tokens: readonly TokenMetadata[],
): Promise<void> {
  const writer = new EvmWriter(new Database(dataSource), new EvmPartitions(new Database(dataSource)));
  let before = null;
  for (const blocks of stretches) {
    const after = advance(before ?? { genesisHash: null, firstHeight: 0n }, blocks);
    await writer.write({ chain, before, after, blocks, tokens: before === null ? tokens : [] });
    before = after;
  }
}

/** As the first step of whoever has the index begin anew. */
export async function forgetCoverage(dataSource: DataSource, { network, chainId }: ChainKey): Promise<void> {
  await dataSource.query('DELETE FROM index_checkpoints WHERE network = $1 AND chain = $2', [
    network,
    evmChainName(chainId),
  ]);
}

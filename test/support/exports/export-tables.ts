import type { DataSource } from 'typeorm';
import type { BlockWithMovements } from '../../../src/avalanche/evm/transfers/movement-reader.js';
import type { TokenMetadata } from '../../../src/avalanche/evm/transfers/token-metadata.js';
import type { EvmChain } from '../../../src/platform/evm-chains/evm-chain.js';
import { baseBatch } from '../../../src/indexes/evm/rows/base-rows.js';
import { traceBatch } from '../../../src/indexes/evm/rows/trace-rows.js';
import { makeWriter, standAt } from '../evm/evm-index.js';

type ChainKey = Pick<EvmChain, 'network' | 'chainId'>;

/** Writes blocks as the index does, each stretch of neighbours by itself. */
export async function indexBlocks(
  dataSource: DataSource,
  chain: ChainKey,
  stretches: readonly (readonly BlockWithMovements[])[],
  tokens: readonly TokenMetadata[],
): Promise<void> {
  const writer = makeWriter(dataSource);
  const highest = Math.max(-1, ...stretches.flat().map(({ block }) => Number(block.height)));
  await standAt(dataSource, chain, highest);
  for (const blocks of stretches) {
    const base = baseBatch(chain, blocks.map(withoutInternal));
    await writer.write({ chain, facets: [base], tokens });
    for (const { block, movements, isTraced } of blocks) {
      if (!isTraced) continue;
      const { height, timestampSeconds, transactions } = block;
      const traced = {
        block: { height, timestampSeconds, transactions },
        movements: movements.filter(({ kind }) => kind === 'INTERNAL'),
      };
      await writer.write({ chain, facets: [traceBatch(chain, { from: height, to: height }, [traced])] });
    }
  }
}

function withoutInternal(block: BlockWithMovements): BlockWithMovements {
  return { ...block, movements: block.movements.filter(({ kind }) => kind !== 'INTERNAL') };
}

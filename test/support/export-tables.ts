import type { DataSource } from 'typeorm';
import type { BlockWithMovements } from '../../src/avalanche/evm/movement-reader.js';
import type { TokenMetadata } from '../../src/avalanche/evm/token-metadata.js';
import { evmChainName } from '../../src/database/chains.js';
import type { EvmChain } from '../../src/evm-chains/evm-chain.js';
import { baseBatch } from '../../src/evm-index/base-rows.js';
import { traceBatch } from '../../src/evm-index/trace-rows.js';
import type { HeightRange } from '../../src/indexing/height-range.js';
import { makeWriter } from './evm-index.js';

type ChainKey = Pick<EvmChain, 'network' | 'chainId'>;

/** Which heights the tables are said to have completely, in the place of what was said before. */
export async function storeCoverage(
  dataSource: DataSource,
  chain: ChainKey,
  ranges: readonly (HeightRange & { isTraced: boolean })[],
): Promise<void> {
  await forgetCoverage(dataSource, chain);
  const traced = ranges.filter(({ isTraced }) => isTraced);
  for (const [facet, own] of [
    ['base', ranges],
    ['atomic', ranges],
    ['traces', traced],
  ] as const) {
    await dataSource.query(
      `INSERT INTO index_coverage (network, chain, facet, from_height, to_height, status, version)
       SELECT $1, $2, $3, from_height, to_height, 'complete', 1
         FROM unnest($4::bigint[], $5::bigint[]) AS ranges (from_height, to_height)`,
      [
        chain.network,
        evmChainName(chain.chainId),
        facet,
        own.map(({ from }) => String(from)),
        own.map(({ to }) => String(to)),
      ],
    );
  }
}

/** Writes blocks as the index does, each stretch of neighbours by itself. */
export async function indexBlocks(
  dataSource: DataSource,
  chain: ChainKey,
  stretches: readonly (readonly BlockWithMovements[])[],
  tokens: readonly TokenMetadata[],
): Promise<void> {
  const writer = makeWriter(dataSource);
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

/** As the first step of whoever has the index begin anew. */
export async function forgetCoverage(dataSource: DataSource, { network, chainId }: ChainKey): Promise<void> {
  await dataSource.query('DELETE FROM index_coverage WHERE network = $1 AND chain = $2', [
    network,
    evmChainName(chainId),
  ]);
}

import type { DataSource } from 'typeorm';
import { evmChainName } from '../../src/platform/database/chains.js';
import type { EvmChain } from '../../src/platform/evm-chains/evm-chain.js';
import { ATOMIC, BASE, TRACES } from '../../src/indexes/evm/facets/facets.js';
import type { HeightRange } from '../../src/indexes/engine/coverage/height-range.js';

type ChainKey = Pick<EvmChain, 'network' | 'chainId'>;

/** Which heights the tables have completely by the coverage, in place of the earlier coverage. */
export async function storeCoverage(
  dataSource: DataSource,
  chain: ChainKey,
  ranges: readonly (HeightRange & { isTraced: boolean })[],
): Promise<void> {
  await forgetCoverage(dataSource, chain);
  const traced = ranges.filter(({ isTraced }) => isTraced);
  for (const [facet, own] of [
    [BASE, ranges],
    [ATOMIC, ranges],
    [TRACES, traced],
  ] as const) {
    await dataSource.query(
      `INSERT INTO index_coverage (network, chain, facet, from_height, to_height, status, version)
       SELECT $1, $2, $3, from_height, to_height, 'complete', $6
         FROM unnest($4::bigint[], $5::bigint[]) AS ranges (from_height, to_height)`,
      [
        chain.network,
        evmChainName(chain.chainId),
        facet.name,
        own.map(({ from }) => String(from)),
        own.map(({ to }) => String(to)),
        facet.version,
      ],
    );
  }
}

/** As the first step of whoever has the index begin anew. */
export async function forgetCoverage(dataSource: DataSource, { network, chainId }: ChainKey): Promise<void> {
  await dataSource.query('DELETE FROM index_coverage WHERE network = $1 AND chain = $2', [
    network,
    evmChainName(chainId),
  ]);
}

import { evmChainName, P_CHAIN, X_CHAIN } from '../../platform/database/chains.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { facetsOf } from '../evm/facets/facets.js';
import { PROJECTIONS_NAME } from '../evm/projections/projections.js';
import type { IndexPlace } from '../engine/following/index-place.js';

/** One index that this worker's configuration asks for. */
export interface ConfiguredIndex extends IndexPlace {
  /** For people. */
  readonly title: string;
}

/** The P- and X-chain of each network, and of each EVM chain its tip and what is filled in below it. */
export function configuredIndexes({
  networks,
  chains,
}: {
  networks: readonly string[];
  chains: readonly EvmChain[];
}): ConfiguredIndex[] {
  return [
    ...networks.flatMap((network) => [
      { network, chain: P_CHAIN, title: `P-chain of ${network}` },
      { network, chain: X_CHAIN, title: `X-chain of ${network}` },
    ]),
    ...chains.flatMap((chain) => {
      const { network, chainId, name } = chain;
      const title = `${name} (EVM chain ${chainId}) of ${network}`;
      return [
        { network, chain: evmChainName(chainId), title },
        ...facetsOf(chain).map((facet) => ({
          network,
          chain: evmChainName(chainId, facet.name),
          title: `${title}: ${facet.name} of older blocks`,
        })),
        ...(chain.watch.length === 0
          ? []
          : [
              {
                network,
                chain: evmChainName(chainId, PROJECTIONS_NAME),
                title: `${title}: what is made of its logs`,
              },
            ]),
      ];
    }),
  ];
}

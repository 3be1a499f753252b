import type { FedChain } from '../../../src/resources/changes/fed-chains.js';

/** The P-chain as changes are read of it. */
export const P_CHAIN: FedChain = {
  name: 'p',
  network: 'fuji',
  index: 'p-chain',
  utxos: 'P',
  evm: undefined,
  facets: [],
  messageSets: [],
};

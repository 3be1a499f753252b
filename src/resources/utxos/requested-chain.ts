import { type IndexedNetwork, primaryChains } from '../../indexes/overview/indexed-networks.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { PrimaryChain } from '../../platform/database/chains.js';
import { badRequest } from '../../platform/http/errors/api-error.js';

/** Throws a 400. */
export function requestedChain(
  blockchainId: string,
  name: NetworkName,
  network: IndexedNetwork,
): PrimaryChain {
  const chains = primaryChains(network);
  const chain = chains.get(blockchainId);
  if (chain !== undefined) return chain;
  throw badRequest(`blockchainId: must be, on ${name}, one of ${[...chains.keys()].join(', ')}`);
}

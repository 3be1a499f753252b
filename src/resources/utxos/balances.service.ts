import { Injectable } from '@nestjs/common';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import { PRIMARY_CHAIN_NAMES } from '../../platform/database/chains.js';
import { ApiError, badRequest } from '../../platform/http/errors/api-error.js';
import { addressesOfNetwork } from '../../platform/http/schemas/queried-addresses.js';
import { AssetRepository } from './asset.repository.js';
import { BalanceRepository, MAX_SUMMED_UTXOS } from './balance.repository.js';
import { type GetBalancesResponse, toBalances } from './dto/balance.response.js';
import type { GetBalancesQuery } from './dto/get-balances.request.js';
import type { PrimaryChainPath } from './dto/list-utxos.request.js';
import { KnownSpends } from './known-spends.js';
import { requestedChain } from './requested-chain.js';

@Injectable()
export class BalancesService {
  constructor(
    private readonly balances: BalanceRepository,
    private readonly assets: AssetRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly knownSpends: KnownSpends,
  ) {}

  async get(query: PrimaryChainPath & GetBalancesQuery): Promise<GetBalancesResponse> {
    const { network: name, blockchainId } = query;
    const network = await this.indexedNetworks.get(name);
    const chain = requestedChain(blockchainId, name, network);
    const chainName = PRIMARY_CHAIN_NAMES[chain];
    const chainId = { P: PRIMARY_NETWORK, X: network.xChainId, C: network.cChainId }[chain];
    const now = Math.floor(Date.now() / 1000);
    const isPast = query.blockTimestamp !== undefined;
    const at = query.blockTimestamp ?? now;
    if (at > now) throw badRequest('blockTimestamp: must not be in the future');
    const addresses = addressesOfNetwork('addresses', query.addresses, network.hrp) ?? [];
    const spendsKnown = await this.knownSpends.of(name, chain);
    if (chainId === undefined) {
      throw new ApiError(503, `the id of the ${chainName} of ${name} is not known yet`);
    }
    if (at < spendsKnown.since) {
      throw new ApiError(
        503,
        `which UTXOs of the ${chainName} of ${name} were spent before ${spendsKnown.since} is not known`,
      );
    }
    const request = { network: name, chain, chainId, addresses, at, isPast, spendsKnown };
    const [holdings, restakedRewards] = await Promise.all([
      this.balances.sum(request),
      chain === 'P' && !isPast ? this.balances.restaked(name, addresses) : undefined,
    ]);
    if (holdings === undefined) {
      throw badRequest(`addresses: own more than ${MAX_SUMMED_UTXOS} UTXOs; list them by pages instead`);
    }
    const assetIds = holdings.map(({ assetId }) => assetId);
    const balances = toBalances(chain, holdings, await this.assets.find(name, network, assetIds));
    return {
      balances: restakedRewards === undefined ? balances : { ...balances, restakedRewards },
      chainInfo: { chainName, network: name },
    };
  }
}

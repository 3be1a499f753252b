import { Injectable } from '@nestjs/common';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { badRequest } from '../../platform/http/errors/api-error.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { addressesOfNetwork } from '../../platform/http/schemas/queried-addresses.js';
import { AssetRepository, AVAX, UNKNOWN_ASSET } from '../utxos/asset.repository.js';
import type { ListPendingRewardsQuery } from './dto/list-pending-rewards.request.js';
import { type ListPendingRewardsResponse, toPendingReward } from './dto/pending-reward.response.js';
import { keysetOf } from './pending-reward-list.js';
import { PendingRewardRepository } from './pending-reward.repository.js';

@Injectable()
export class RewardsService {
  constructor(
    private readonly rewards: PendingRewardRepository,
    private readonly assets: AssetRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly pageTokens: PageTokens,
  ) {}

  async listPending({
    network,
    ...query
  }: ListPendingRewardsQuery & { network: NetworkName }): Promise<ListPendingRewardsResponse> {
    const { hrp, avaxAssetId } = await this.indexedNetworks.get(network);
    const addresses = addressesOfNetwork('addresses', query.addresses, hrp);
    const { nodeIds, sortOrder } = query;
    const { rows, ...page } = await this.pageTokens.page(
      [network, 'rewards:listPending'],
      query,
      (place) => {
        if (addresses === undefined && nodeIds === undefined) {
          throw badRequest('either addresses or nodeIds must be provided');
        }
        return this.rewards.list({ network, filters: { addresses, nodeIds }, sortOrder, ...place });
      },
      keysetOf,
    );
    const ids = new Set(rows.map(({ assetId }) => assetId.toString('hex')));
    if (avaxAssetId !== undefined) ids.delete(avaxAssetId);
    const assets = await this.assets.find(network, [...ids]);
    const nowSeconds = Math.floor(Date.now() / 1000);
    return {
      ...page,
      pendingRewards: rows.map((row) => {
        const id = row.assetId.toString('hex');
        const asset = id === avaxAssetId ? AVAX : (assets.get(id) ?? UNKNOWN_ASSET);
        return toPendingReward(row, { hrp, asset, nowSeconds });
      }),
    };
  }
}

import { Injectable } from '@nestjs/common';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { badRequest } from '../../platform/http/errors/api-error.js';
import type { Keyset } from '../../platform/http/pagination/keyset.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { addressesOfNetwork } from '../../platform/http/schemas/queried-addresses.js';
import { type Asset, AssetRepository } from '../utxos/asset.repository.js';
import type { ListRewardsQuery } from './dto/list-rewards.request.js';
import { type ListPaidRewardsResponse, toPaidReward } from './dto/paid-reward.response.js';
import { type ListPendingRewardsResponse, toPendingReward } from './dto/pending-reward.response.js';
import { PaidRewardRepository, paidKeysetOf } from './paid-reward.repository.js';
import { PendingRewardRepository } from './pending-reward.repository.js';
import { keysetOf, type RewardRequest } from './reward-request.js';

type NetworkQuery = ListRewardsQuery & { network: NetworkName };

interface RewardList<Row> {
  /** Names its pages among those of all lists. */
  readonly name: string;
  readonly find: (request: RewardRequest) => Promise<Row[]>;
  readonly keysetOf: (row: Row) => Keyset;
}

@Injectable()
export class RewardsService {
  constructor(
    private readonly pending: PendingRewardRepository,
    private readonly paid: PaidRewardRepository,
    private readonly assets: AssetRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly pageTokens: PageTokens,
  ) {}

  async listPending(query: NetworkQuery): Promise<ListPendingRewardsResponse> {
    const { rows, hrp, assetOf, ...page } = await this.list(query, {
      name: 'rewards:listPending',
      find: (request) => this.pending.list(request),
      keysetOf,
    });
    const nowSeconds = Math.floor(Date.now() / 1000);
    return {
      ...page,
      pendingRewards: rows.map((row) => toPendingReward(row, { hrp, asset: assetOf(row), nowSeconds })),
    };
  }

  async listPaid(query: NetworkQuery): Promise<ListPaidRewardsResponse> {
    const { rows, hrp, assetOf, ...page } = await this.list(query, {
      name: 'rewards',
      find: (request) => this.paid.list(request),
      keysetOf: paidKeysetOf,
    });
    return { ...page, historicalRewards: rows.map((row) => toPaidReward(row, { hrp, asset: assetOf(row) })) };
  }

  private async list<Row extends { readonly assetId: Buffer; readonly addresses: readonly Buffer[] }>(
    { network, ...query }: NetworkQuery,
    list: RewardList<Row>,
  ) {
    const indexed = await this.indexedNetworks.get(network);
    const { hrp } = indexed;
    const addresses = addressesOfNetwork('addresses', query.addresses, hrp);
    const { nodeIds, sortOrder } = query;
    const page = await this.pageTokens.page(
      [network, list.name],
      query,
      (place) => {
        if (addresses === undefined && nodeIds === undefined) {
          throw badRequest('either addresses or nodeIds must be provided');
        }
        return list.find({ network, filters: { addresses, nodeIds }, sortOrder, ...place });
      },
      list.keysetOf,
      ({ addresses: owners }) => owners.length,
    );
    const idOf = ({ assetId }: { readonly assetId: Buffer }): string => assetId.toString('hex');
    const known = await this.assets.find(network, indexed, page.rows.map(idOf));
    const assetOf = (row: Row): Asset => known(idOf(row));
    return { ...page, hrp, assetOf };
  }
}

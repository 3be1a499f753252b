import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../../platform/config/config.module.js';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { addressesOfNetwork } from '../../platform/http/schemas/queried-addresses.js';
import { keysetOf } from './delegator-list.js';
import { DelegatorRepository } from './delegator.repository.js';
import { type ListDelegatorsResponse, toDelegatorResponse } from './dto/delegator.response.js';
import type { ListDelegatorsQuery } from './dto/list-delegators.request.js';

@Injectable()
export class DelegatorsService {
  constructor(
    private readonly delegators: DelegatorRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({
    network,
    ...query
  }: ListDelegatorsQuery & { network: NetworkName }): Promise<ListDelegatorsResponse> {
    const { hrp } = await this.indexedNetworks.get(network);
    const rewardAddresses = addressesOfNetwork('rewardAddresses', query.rewardAddresses, hrp);
    const filters = { status: query.delegationStatus, rewardAddresses, nodeIds: query.nodeIds };
    const { rows, ...page } = await this.pageTokens.page(
      [network, 'delegators'],
      query,
      (place) => this.delegators.list({ network, filters, sortOrder: query.sortOrder, ...place }),
      keysetOf,
      ({ rewardsOwner }) => rewardsOwner.addresses.length,
    );
    return { ...page, delegators: rows.map((row) => toDelegatorResponse(row, hrp)) };
  }
}

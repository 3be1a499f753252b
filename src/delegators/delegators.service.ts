import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../config/config.module.js';
import { IndexedNetworks } from '../database/indexed-networks.js';
import { PageTokens } from '../http/pagination/page-tokens.js';
import { addressesOfNetwork } from '../http/queried-addresses.js';
import { keysetOf } from './delegator-list.js';
import { DelegatorRepository } from './delegator.repository.js';
import { type ListDelegatorsResponse, toDelegatorResponse } from './dto/delegator.response.js';
import type { ListDelegatorsQuery } from './dto/list-delegators.request.js';

@Injectable()
export class DelegatorsService {
  constructor(
    private readonly delegators: DelegatorRepository,
    private readonly networks: IndexedNetworks,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({
    network,
    ...query
  }: ListDelegatorsQuery & { network: NetworkName }): Promise<ListDelegatorsResponse> {
    const { pageToken, pageSize, ...filtersAndOrder } = query;
    const scope = { path: [network, 'delegators'], query: filtersAndOrder };
    const { hrp } = await this.networks.get(network);
    const rewardAddresses = addressesOfNetwork('rewardAddresses', query.rewardAddresses, hrp);
    const rows = await this.delegators.list({
      network,
      filters: { status: query.delegationStatus, rewardAddresses, nodeIds: query.nodeIds },
      sortOrder: query.sortOrder,
      after: await this.pageTokens.read(scope, pageToken),
      limit: pageSize + 1,
    });
    const page = await this.pageTokens.toPage(scope, { pageSize }, rows, keysetOf);
    return {
      ...(page.nextPageToken === undefined ? {} : { nextPageToken: page.nextPageToken }),
      delegators: page.rows.map((row) => toDelegatorResponse(row, hrp)),
    };
  }
}

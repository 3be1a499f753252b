import { Injectable } from '@nestjs/common';
import { fromHex } from '../../avalanche/ids/hex.js';
import { idToString } from '../../avalanche/ids/id.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import type { LosslessJson } from '../../platform/http/adapter/lossless-json.js';
import { notFound } from '../../platform/http/errors/api-error.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import type { GetSubnetPath, ListSubnetsQuery } from './dto/list-subnets.request.js';
import { toSubnetResponse } from './dto/subnet.response.js';
import { keysetOf } from './subnet-list.js';
import { SubnetRepository } from './subnet.repository.js';

/** A genesis may be a mebibyte, and a page may have 10000 subnets. */
const MAX_GENESIS_BYTES_PER_PAGE = 8 * 1024 * 1024;

@Injectable()
export class SubnetsService {
  constructor(
    private readonly subnets: SubnetRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({ network, ...query }: ListSubnetsQuery & { network: NetworkName }): Promise<LosslessJson> {
    const scope = { path: [network, 'subnets'], query: { sortOrder: query.sortOrder } };
    const { hrp } = await this.indexedNetworks.get(network);
    const { rows, isCut } = await this.subnets.list(
      {
        network,
        sortOrder: query.sortOrder,
        after: await this.pageTokens.read(scope, query.pageToken),
        limit: query.pageSize + 1,
      },
      MAX_GENESIS_BYTES_PER_PAGE,
    );
    const page = await this.pageTokens.toPage(
      scope,
      { pageSize: query.pageSize, hasMore: isCut },
      rows,
      keysetOf,
    );
    const { rows: shown, ...envelope } = page;
    return { ...envelope, subnets: shown.map((row) => toSubnetResponse(row, hrp)) };
  }

  /** Throws a 404. */
  async get({ network, subnetId }: GetSubnetPath): Promise<LosslessJson> {
    const { hrp } = await this.indexedNetworks.get(network);
    const subnet = await this.subnets.find(network, subnetId, MAX_GENESIS_BYTES_PER_PAGE);
    if (subnet !== undefined) return toSubnetResponse(subnet, hrp);
    throw notFound(`there is no subnet ${idToString(fromHex(subnetId))} on ${network}`);
  }
}

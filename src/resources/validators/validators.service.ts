import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../../platform/config/config.module.js';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import { PRIMARY_NETWORK_ID } from '../../avalanche/ids/id.js';
import { badRequest } from '../../platform/http/errors/api-error.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { scaleDecimal } from '../../platform/http/schemas/query.schema.js';
import type { ListValidatorsQuery } from './dto/list-validators.request.js';
import type {
  ListNodeValidationsPath,
  ListNodeValidationsQuery,
} from './dto/list-node-validations.request.js';
import {
  type ListNodeValidationsResponse,
  type ListValidatorsResponse,
  toNodeValidationResponse,
  toValidatorResponse,
} from './dto/validator.response.js';
import { keysetOf, type ValidatorFilters, type ValidatorRow } from './validator-list.js';
import { ValidatorRepository } from './validator.repository.js';

/** A fee of one percent in millionths is 10^4. */
const SHARES_DIGITS = 4;

@Injectable()
export class ValidatorsService {
  constructor(
    private readonly validators: ValidatorRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({
    network,
    ...query
  }: ListValidatorsQuery & { network: NetworkName }): Promise<ListValidatorsResponse> {
    if (query.sortBy === 'delegationFee') checkSortableByFee(network, query.subnetId);
    const { sortBy, sortOrder } = query;
    const { hrp } = await this.indexedNetworks.get(network);
    const { rows, ...page } = await this.pageTokens.page<ValidatorRow>(
      [network, 'validators'],
      query,
      async (place) => {
        const filters = await this.toFilters(network, query);
        if (hasNoNodes(filters)) return [];
        return this.validators.list({ network, filters, sortBy, sortOrder, ...place });
      },
      (row) => keysetOf(sortBy, row),
      addressesIn,
    );
    return { ...page, validators: rows.map((row) => toValidatorResponse(row, hrp)) };
  }

  /** All validations of one node. */
  async listOfNode({
    network,
    nodeId,
    ...query
  }: ListNodeValidationsPath & ListNodeValidationsQuery): Promise<ListNodeValidationsResponse> {
    const { hrp } = await this.indexedNetworks.get(network);
    const sortBy = 'blockIndex';
    const filters = { status: query.validationStatus, nodes: { ids: [nodeId] } };
    const { rows, ...page } = await this.pageTokens.page<ValidatorRow>(
      [network, 'validators', nodeId],
      query,
      (place) => this.validators.list({ network, filters, sortBy, sortOrder: query.sortOrder, ...place }),
      (row) => keysetOf(sortBy, row),
      addressesIn,
    );
    return { ...page, validators: rows.map((row) => toNodeValidationResponse(row, hrp)) };
  }

  private async toFilters(network: NetworkName, query: ListValidatorsQuery): Promise<ValidatorFilters> {
    const nowSeconds = BigInt(Math.floor(Date.now() / 1000));
    return {
      status: query.validationStatus,
      subnetId: query.subnetId,
      nodes:
        query.nodeIds === undefined ? undefined : await this.validators.findNodes(network, query.nodeIds),
      delegationCapacity: range(query.minDelegationCapacity, query.maxDelegationCapacity),
      // Who is past the end and waits to be let go has no time remaining, not less than none.
      endTime: range(
        scaled(query.minTimeRemaining, 0, 'up', (seconds) => (seconds === 0n ? 0n : nowSeconds + seconds)),
        scaled(query.maxTimeRemaining, 0, 'down', (seconds) => nowSeconds + seconds),
      ),
      shares: range(
        scaled(query.minFeePercentage, SHARES_DIGITS, 'up'),
        scaled(query.maxFeePercentage, SHARES_DIGITS, 'down'),
      ),
      uptimePerformance: range(
        query.minUptimePerformance === undefined ? undefined : Number(query.minUptimePerformance),
        query.maxUptimePerformance === undefined ? undefined : Number(query.maxUptimePerformance),
      ),
    };
  }
}

function addressesIn({ validationRewardsOwner, delegationRewardsOwner }: ValidatorRow): number {
  return (validationRewardsOwner?.addresses.length ?? 0) + (delegationRewardsOwner?.addresses.length ?? 0);
}

function checkSortableByFee(network: NetworkName, subnetId: string | undefined): void {
  if (network === 'mainnet' && subnetId === PRIMARY_NETWORK) return;
  throw badRequest(`sortBy: delegationFee is available for mainnet with subnetId ${PRIMARY_NETWORK_ID} only`);
}

function hasNoNodes({ nodes }: ValidatorFilters): boolean {
  return nodes !== undefined && 'ids' in nodes && nodes.ids.length === 0;
}

function range<Bound>(min: Bound | undefined, max: Bound | undefined) {
  return min === undefined && max === undefined ? undefined : { min, max };
}

function scaled(
  text: string | undefined,
  digits: number,
  towards: 'up' | 'down',
  then: (value: bigint) => bigint = (value) => value,
): bigint | undefined {
  return text === undefined ? undefined : then(scaleDecimal(text, digits, towards));
}

import { Injectable } from '@nestjs/common';
import { validatorFeeOf } from '../../avalanche/platformvm/state/chain-rules.js';
import { validatorPrice } from '../../avalanche/platformvm/state/validator-fee.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import type { LosslessJson } from '../../platform/http/adapter/lossless-json.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { toL1ValidatorResponse } from './dto/l1-validator.response.js';
import type { ListL1ValidatorsQuery } from './dto/list-l1-validators.request.js';
import { type FeeClock, keysetOf } from './l1-validator-list.js';
import { L1ValidatorListRepository } from './l1-validator.repository.js';

/** Of an index that has not begun. */
const NO_BLOCK: FeeClock = { height: -1n, time: 0, accruedFees: 0n, validatorExcess: 0n };

@Injectable()
export class L1ValidatorsService {
  constructor(
    private readonly validators: L1ValidatorListRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({
    network: name,
    ...query
  }: ListL1ValidatorsQuery & { network: NetworkName }): Promise<LosslessJson> {
    const network = await this.indexedNetworks.get(name);
    const { l1ValidationId: validationId, nodeId, subnetId } = query;
    const filters = { validationId, nodeId, subnetId, includeInactive: query.includeInactiveL1Validators };
    let clock = NO_BLOCK;
    const { rows, ...page } = await this.pageTokens.page(
      [name, 'l1Validators'],
      query,
      async (place) => {
        const found = await this.validators.list({ network: name, filters, ...place });
        clock = found.clock ?? NO_BLOCK;
        return found.rows;
      },
      keysetOf,
      ({ remainingBalanceOwner, deactivationOwner }) =>
        remainingBalanceOwner.addresses.length + deactivationOwner.addresses.length,
    );
    const price = validatorPrice(validatorFeeOf(network.networkId), clock.validatorExcess);
    return {
      ...page,
      validators: rows.map((row) => toL1ValidatorResponse(row, { hrp: network.hrp, clock, price })),
      blockHeight: clock.height.toString(),
    };
  }
}

import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { idFromString, idToString, PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { preimageInConversion, preimageOfValidation } from '../../../avalanche/platformvm/l1-transaction.js';
import type { L1ValidatorRegistrationJustification } from '../../../avalanche/warp/justification.js';
import type { Network } from '../../../platform/networks/network.js';
import { L1ValidatorRepository } from './l1-validator.repository.js';

/** More validators than any conversion had; and less where all subnets come into question. */
const MAX_VALIDATORS = 1_000;
const MAX_VALIDATORS_OF_ANY_SUBNET = 100;

/**
 * Preimages of the ids of validations that are over: the P-chain's state holds them no longer, and its validators want to see
 * them before they sign that a validation is over. What is found is certain, since the id is a hash of it.
 */
@Injectable()
export class ValidationPreimages {
  constructor(private readonly l1Validators: L1ValidatorRepository) {}

  /**
   * By the index where it has the validation. Without it validators of a conversion can still be found, as their ids are hashes of
   * the subnet and a small number, and registered ones cannot: nodes do not find a transaction by the validation that it began.
   */
  async find(
    network: Network,
    validation: { validationId: Uint8Array; managerChainId: Uint8Array },
  ): Promise<L1ValidatorRegistrationJustification | undefined> {
    const { validationId, managerChainId } = validation;
    const indexed = await this.findIndexed(network, validationId);
    return indexed ?? this.findInConversions(network, validationId, idToString(managerChainId));
  }

  private async findIndexed(
    network: Network,
    validationId: Uint8Array,
  ): Promise<L1ValidatorRegistrationJustification | undefined> {
    const txId = await this.l1Validators.findFirstTransaction(network.name, validationId);
    if (txId === undefined) return undefined;
    const found = await network.pChain.findTransaction(idToString(txId));
    // The index may still be that of another network which stood behind this name.
    if (found?.status !== 'Committed' || found.unsigned === undefined) return undefined;
    return preimageOfValidation(found.unsigned, validationId);
  }

  private async findInConversions(
    network: Network,
    validationId: Uint8Array,
    managerChainId: string,
  ): Promise<L1ValidatorRegistrationJustification | undefined> {
    const subnetId = await network.getSubnetOf(managerChainId);
    if (subnetId !== PRIMARY_NETWORK_ID) {
      return preimageInConversion(idFromString(subnetId), MAX_VALIDATORS, validationId);
    }
    // A manager on the C-chain may be that of any L1.
    for (const id of await network.pChain.listSubnetIds()) {
      const found = preimageInConversion(idFromString(id), MAX_VALIDATORS_OF_ANY_SUBNET, validationId);
      if (found !== undefined) return found;
      await nextTurn(); // thousands of hashes in all
    }
    return undefined;
  }
}

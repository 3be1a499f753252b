import { packTypedBlob, unpackTypedBlob } from '../../codec/codec.js';
import type { Unpacker } from '../../codec/unpacker.js';
import { ID_LENGTH } from '../../ids/id.js';

export const L1_VALIDATOR_WEIGHT_TYPE_ID = 3;

/** An L1's order to set a weight, or the P-chain's statement that it did (avalanchego v1.14.2 warp/message/l1_validator_weight.go). */
export interface L1ValidatorWeight {
  validationId: Uint8Array;
  nonce: bigint;
  /** 0 in an order means: remove. */
  weight: bigint;
}

export function packL1ValidatorWeight(message: L1ValidatorWeight): Uint8Array {
  return packTypedBlob(L1_VALIDATOR_WEIGHT_TYPE_ID, (packer) =>
    packer.packFixedBytes(message.validationId, ID_LENGTH).packLong(message.nonce).packLong(message.weight),
  );
}

/** Throws CodecError. */
export function unpackL1ValidatorWeight(bytes: Uint8Array): L1ValidatorWeight {
  return unpackTypedBlob(bytes, L1_VALIDATOR_WEIGHT_TYPE_ID, unpackL1ValidatorWeightFields);
}

export function unpackL1ValidatorWeightFields(unpacker: Unpacker): L1ValidatorWeight {
  return {
    validationId: unpacker.unpackFixedBytes(ID_LENGTH),
    nonce: unpacker.unpackLong(),
    weight: unpacker.unpackLong(),
  };
}

import { packTypedBlob, unpackTypedBlob } from '../../codec/codec.js';
import { ID_LENGTH } from '../../ids/id.js';
import { fixedBytes, struct, uint64, type ValueOf } from '../../platformvm/codec/field.js';

export const L1_VALIDATOR_WEIGHT_TYPE_ID = 3;

/** An L1's order to set a weight, or the P-chain's statement that it did (avalanchego v1.14.2 warp/message/l1_validator_weight.go). */
export const l1ValidatorWeight = struct({
  validationId: fixedBytes(ID_LENGTH),
  nonce: uint64,
  weight: uint64, // 0 in an order means: remove
});

export type L1ValidatorWeight = ValueOf<typeof l1ValidatorWeight>;

export function packL1ValidatorWeight(message: L1ValidatorWeight): Uint8Array {
  return packTypedBlob(L1_VALIDATOR_WEIGHT_TYPE_ID, (packer) => l1ValidatorWeight.pack(packer, message));
}

/** Throws CodecError. */
export function unpackL1ValidatorWeight(bytes: Uint8Array): L1ValidatorWeight {
  return unpackTypedBlob(bytes, L1_VALIDATOR_WEIGHT_TYPE_ID, l1ValidatorWeight.unpack);
}

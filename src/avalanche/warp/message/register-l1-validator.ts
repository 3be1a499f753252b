import { sha256 } from '@noble/hashes/sha2.js';
import { PUBLIC_KEY_BYTES } from '../../bls/bls.interface.js';
import { packTypedBlob, unpackTypedBlob } from '../../codec/codec.js';
import { ID_LENGTH } from '../../ids/id.js';
import { bytes, fixedBytes, struct, uint64, type ValueOf } from '../../platformvm/codec/field.js';
import { pChainOwner } from './p-chain-owner.js';

export const REGISTER_L1_VALIDATOR_TYPE_ID = 1;

/** An L1's order to the P-chain to add a validator (avalanchego v1.14.2 warp/message/register_l1_validator.go). */
export const registerL1Validator = struct({
  subnetId: fixedBytes(ID_LENGTH),
  nodeId: bytes, // 20 bytes when the P-chain accepted it; the codec itself allows any length
  blsPublicKey: fixedBytes(PUBLIC_KEY_BYTES), // compressed, not parsed as a point
  expiry: uint64, // seconds since 1970 after which the order is void
  remainingBalanceOwner: pChainOwner,
  disableOwner: pChainOwner,
  weight: uint64,
});

export type RegisterL1Validator = ValueOf<typeof registerL1Validator>;

export function packRegisterL1Validator(message: RegisterL1Validator): Uint8Array {
  return packTypedBlob(REGISTER_L1_VALIDATOR_TYPE_ID, (packer) => registerL1Validator.pack(packer, message));
}

/** Throws CodecError. */
export function unpackRegisterL1Validator(message: Uint8Array): RegisterL1Validator {
  return unpackTypedBlob(message, REGISTER_L1_VALIDATOR_TYPE_ID, registerL1Validator.unpack);
}

/** Validation id of a registered validator: sha256 of the packed RegisterL1Validator (its method ValidationID). */
export function validationIdOfRegistration(packedMessage: Uint8Array): Uint8Array {
  return sha256(packedMessage);
}

import { sha256 } from '@noble/hashes/sha2.js';
import { PUBLIC_KEY_BYTES } from '../../bls/bls.interface.js';
import { packTypedBlob, unpackTypedBlob } from '../../codec/codec.js';
import type { Unpacker } from '../../codec/unpacker.js';
import { ID_LENGTH } from '../../ids/id.js';
import { packPChainOwner, unpackPChainOwner, type PChainOwner } from './p-chain-owner.js';

export const REGISTER_L1_VALIDATOR_TYPE_ID = 1;

/** An L1's order to the P-chain to add a validator (avalanchego v1.14.2 warp/message/register_l1_validator.go). */
export interface RegisterL1Validator {
  subnetId: Uint8Array;
  /** 20 bytes when the P-chain accepted it; the codec itself does not say. */
  nodeId: Uint8Array;
  /** 48 compressed bytes, not parsed as a point. */
  blsPublicKey: Uint8Array;
  /** Seconds since 1970 after which the order is void. */
  expiry: bigint;
  remainingBalanceOwner: PChainOwner;
  disableOwner: PChainOwner;
  weight: bigint;
}

export function packRegisterL1Validator(message: RegisterL1Validator): Uint8Array {
  return packTypedBlob(REGISTER_L1_VALIDATOR_TYPE_ID, (packer) => {
    packer
      .packFixedBytes(message.subnetId, ID_LENGTH)
      .packBytes(message.nodeId)
      .packFixedBytes(message.blsPublicKey, PUBLIC_KEY_BYTES)
      .packLong(message.expiry);
    packPChainOwner(packer, message.remainingBalanceOwner);
    packPChainOwner(packer, message.disableOwner);
    packer.packLong(message.weight);
  });
}

/** Throws CodecError. */
export function unpackRegisterL1Validator(bytes: Uint8Array): RegisterL1Validator {
  return unpackTypedBlob(bytes, REGISTER_L1_VALIDATOR_TYPE_ID, unpackRegisterL1ValidatorFields);
}

export function unpackRegisterL1ValidatorFields(unpacker: Unpacker): RegisterL1Validator {
  return {
    subnetId: unpacker.unpackFixedBytes(ID_LENGTH),
    nodeId: unpacker.unpackBytes(),
    blsPublicKey: unpacker.unpackFixedBytes(PUBLIC_KEY_BYTES),
    expiry: unpacker.unpackLong(),
    remainingBalanceOwner: unpackPChainOwner(unpacker),
    disableOwner: unpackPChainOwner(unpacker),
    weight: unpacker.unpackLong(),
  };
}

/** Validation id of a registered validator: sha256 of the packed RegisterL1Validator (its method ValidationID). */
export function validationIdOfRegistration(packedMessage: Uint8Array): Uint8Array {
  return sha256(packedMessage);
}

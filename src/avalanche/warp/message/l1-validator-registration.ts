import { packTypedBlob } from '../../codec/codec.js';
import { ID_LENGTH } from '../../ids/id.js';

export const L1_VALIDATOR_REGISTRATION_TYPE_ID = 2;

/** The P-chain's statement that a validation runs, or is over or will never be (avalanchego v1.14.2 warp/message/l1_validator_registration.go). */
export interface L1ValidatorRegistration {
  validationId: Uint8Array;
  registered: boolean;
}

export function packL1ValidatorRegistration(message: L1ValidatorRegistration): Uint8Array {
  return packTypedBlob(L1_VALIDATOR_REGISTRATION_TYPE_ID, (packer) =>
    packer.packFixedBytes(message.validationId, ID_LENGTH).packBool(message.registered),
  );
}

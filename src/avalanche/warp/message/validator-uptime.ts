import { packTypedBlob, unpackTypedBlob } from '../../codec/codec.js';
import { ID_LENGTH } from '../../ids/id.js';

/** In subnet-evm's own registry, where it does not clash with SubnetToL1Conversion. */
const VALIDATOR_UPTIME_TYPE_ID = 0;

/** A claim that an L1 validator was up that long (avalanchego v1.14.2 graft/subnet-evm/warp/messages/validator_uptime.go). */
export interface ValidatorUptime {
  validationId: Uint8Array;
  totalUptimeSeconds: bigint;
}

export function packValidatorUptime(message: ValidatorUptime): Uint8Array {
  return packTypedBlob(VALIDATOR_UPTIME_TYPE_ID, (packer) =>
    packer.packFixedBytes(message.validationId, ID_LENGTH).packLong(message.totalUptimeSeconds),
  );
}

/** Throws CodecError. */
export function unpackValidatorUptime(bytes: Uint8Array): ValidatorUptime {
  return unpackTypedBlob(bytes, VALIDATOR_UPTIME_TYPE_ID, (unpacker) => ({
    validationId: unpacker.unpackFixedBytes(ID_LENGTH),
    totalUptimeSeconds: unpacker.unpackLong(),
  }));
}

import { unpackAnyTypedBlob } from '../../src/avalanche/codec/codec.js';
import type { Unpacker } from '../../src/avalanche/codec/unpacker.js';
import { ID_LENGTH } from '../../src/avalanche/ids/id.js';
import {
  L1_VALIDATOR_REGISTRATION_TYPE_ID,
  type L1ValidatorRegistration,
} from '../../src/avalanche/warp/message/l1-validator-registration.js';
import {
  L1_VALIDATOR_WEIGHT_TYPE_ID,
  l1ValidatorWeight,
  type L1ValidatorWeight,
} from '../../src/avalanche/warp/message/l1-validator-weight.js';
import {
  REGISTER_L1_VALIDATOR_TYPE_ID,
  registerL1Validator,
  type RegisterL1Validator,
} from '../../src/avalanche/warp/message/register-l1-validator.js';
import {
  SUBNET_TO_L1_CONVERSION_TYPE_ID,
  type SubnetToL1Conversion,
} from '../../src/avalanche/warp/message/subnet-to-l1-conversion.js';

/** Payloads of the addressed calls from and to the P-chain (avalanchego v1.14.2 vms/platformvm/warp/message/payload.go). */
export type L1Message =
  | ({ kind: 'subnetToL1Conversion' } & SubnetToL1Conversion)
  | ({ kind: 'registerL1Validator' } & RegisterL1Validator)
  | ({ kind: 'l1ValidatorRegistration' } & L1ValidatorRegistration)
  | ({ kind: 'l1ValidatorWeight' } & L1ValidatorWeight);

const TYPES: ReadonlyMap<number, (unpacker: Unpacker) => L1Message> = new Map<
  number,
  (unpacker: Unpacker) => L1Message
>([
  [
    SUBNET_TO_L1_CONVERSION_TYPE_ID,
    (unpacker) => ({ kind: 'subnetToL1Conversion', id: unpacker.unpackFixedBytes(ID_LENGTH) }),
  ],
  [
    REGISTER_L1_VALIDATOR_TYPE_ID,
    (unpacker) => ({ kind: 'registerL1Validator', ...registerL1Validator.unpack(unpacker) }),
  ],
  [
    L1_VALIDATOR_REGISTRATION_TYPE_ID,
    (unpacker) => ({
      kind: 'l1ValidatorRegistration',
      validationId: unpacker.unpackFixedBytes(ID_LENGTH),
      registered: unpacker.unpackBool(),
    }),
  ],
  [
    L1_VALIDATOR_WEIGHT_TYPE_ID,
    (unpacker) => ({ kind: 'l1ValidatorWeight', ...l1ValidatorWeight.unpack(unpacker) }),
  ],
]);

/** Reads the payload of an addressed call from or to the P-chain. Throws CodecError. */
export function unpackL1Message(bytes: Uint8Array): L1Message {
  return unpackAnyTypedBlob(bytes, TYPES);
}

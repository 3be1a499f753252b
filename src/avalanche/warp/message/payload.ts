import { unpackAnyTypedBlob } from '../../codec/codec.js';
import type { Unpacker } from '../../codec/unpacker.js';
import {
  L1_VALIDATOR_REGISTRATION_TYPE_ID,
  unpackL1ValidatorRegistrationFields,
  type L1ValidatorRegistration,
} from './l1-validator-registration.js';
import {
  L1_VALIDATOR_WEIGHT_TYPE_ID,
  unpackL1ValidatorWeightFields,
  type L1ValidatorWeight,
} from './l1-validator-weight.js';
import {
  REGISTER_L1_VALIDATOR_TYPE_ID,
  unpackRegisterL1ValidatorFields,
  type RegisterL1Validator,
} from './register-l1-validator.js';
import {
  SUBNET_TO_L1_CONVERSION_TYPE_ID,
  unpackSubnetToL1ConversionFields,
  type SubnetToL1Conversion,
} from './subnet-to-l1-conversion.js';

/** What the addressed calls from and to the P-chain carry (avalanchego v1.14.2 vms/platformvm/warp/message/payload.go). */
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
    (unpacker) => ({ kind: 'subnetToL1Conversion', ...unpackSubnetToL1ConversionFields(unpacker) }),
  ],
  [
    REGISTER_L1_VALIDATOR_TYPE_ID,
    (unpacker) => ({ kind: 'registerL1Validator', ...unpackRegisterL1ValidatorFields(unpacker) }),
  ],
  [
    L1_VALIDATOR_REGISTRATION_TYPE_ID,
    (unpacker) => ({ kind: 'l1ValidatorRegistration', ...unpackL1ValidatorRegistrationFields(unpacker) }),
  ],
  [
    L1_VALIDATOR_WEIGHT_TYPE_ID,
    (unpacker) => ({ kind: 'l1ValidatorWeight', ...unpackL1ValidatorWeightFields(unpacker) }),
  ],
]);

/** Reads the payload of an addressed call from or to the P-chain. Throws CodecError. */
export function unpackL1Message(bytes: Uint8Array): L1Message {
  return unpackAnyTypedBlob(bytes, TYPES);
}

import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { CodecError } from '../codec/codec.error.js';
import { ID_LENGTH } from '../ids/id.js';
import { unpackRegisterL1Validator, validationIdOfRegistration } from './message/register-l1-validator.js';
import { validationIdOfConversion } from './message/subnet-to-l1-conversion.js';

/**
 * Preimage of the validation id in an L1ValidatorRegistration with registered=false; P-chain nodes ask for it because
 * their state no longer holds the validation (avalanchego v1.14.2 proto/platformvm/platformvm.proto,
 * L1ValidatorRegistrationJustification).
 * The justification of a SubnetToL1Conversion is something else: the 32 bytes of the subnet id.
 */
export type L1ValidatorRegistrationJustification =
  | { kind: 'convertSubnetToL1Tx'; subnetId: Uint8Array; index: number }
  | { kind: 'registerL1ValidatorMessage'; message: Uint8Array };

const FIELD = { convertSubnetToL1Tx: 1, registerL1ValidatorMessage: 2, subnetId: 1, index: 2 } as const;
const NO_BYTES = new Uint8Array(0);

export function packJustification(justification: L1ValidatorRegistrationJustification): Uint8Array {
  const writer = new BinaryWriter();
  if (justification.kind === 'registerL1ValidatorMessage') {
    writer.tag(FIELD.registerL1ValidatorMessage, WireType.LengthDelimited).bytes(justification.message);
  } else {
    const { subnetId, index } = justification;
    writer.tag(FIELD.convertSubnetToL1Tx, WireType.LengthDelimited).fork();
    writer.tag(FIELD.subnetId, WireType.LengthDelimited).bytes(subnetId);
    if (index !== 0) writer.tag(FIELD.index, WireType.Varint).uint32(index); // proto3 leaves a zero out
    writer.join();
  }
  return writer.finish();
}

/**
 * Reads untrusted bytes as a node does: unknown fields are skipped, the last branch given is the one that counts.
 * Throws CodecError when it is not protobuf, has no branch, or its subnet id is not 32 bytes.
 */
export function unpackJustification(bytes: Uint8Array): L1ValidatorRegistrationJustification {
  const justification = asCodecError(() => readJustification(new BinaryReader(bytes)));
  if (!justification) throw new CodecError('INVALID_VALUE', 'justification names no preimage');
  if (justification.kind === 'convertSubnetToL1Tx' && justification.subnetId.length !== ID_LENGTH) {
    throw new CodecError(
      'INVALID_VALUE',
      `subnet id of ${justification.subnetId.length} bytes in justification`,
    );
  }
  return justification;
}

/**
 * The validation that the justification speaks of.
 * Throws CodecError when the register message in it is not one: nodes refuse that too.
 */
export function validationIdOfJustification(justification: L1ValidatorRegistrationJustification): Uint8Array {
  if (justification.kind === 'convertSubnetToL1Tx') {
    return validationIdOfConversion(justification.subnetId, justification.index);
  }
  unpackRegisterL1Validator(justification.message);
  return validationIdOfRegistration(justification.message);
}

function readJustification(reader: BinaryReader): L1ValidatorRegistrationJustification | undefined {
  let found: L1ValidatorRegistrationJustification | undefined;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (wireType !== WireType.LengthDelimited) {
      reader.skip(wireType, field);
    } else if (field === FIELD.convertSubnetToL1Tx) {
      // A repeated message is merged into the one before, as protobuf demands.
      const previous = found?.kind === 'convertSubnetToL1Tx' ? found : { subnetId: NO_BYTES, index: 0 };
      found = {
        kind: 'convertSubnetToL1Tx',
        ...readSubnetIdIndex(new BinaryReader(reader.bytes()), previous),
      };
    } else if (field === FIELD.registerL1ValidatorMessage) {
      found = { kind: 'registerL1ValidatorMessage', message: new Uint8Array(reader.bytes()) };
    } else {
      reader.skip(wireType, field);
    }
  }
  return found;
}

function readSubnetIdIndex(
  reader: BinaryReader,
  previous: { subnetId: Uint8Array; index: number },
): { subnetId: Uint8Array; index: number } {
  let { subnetId, index } = previous;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === FIELD.subnetId && wireType === WireType.LengthDelimited) {
      subnetId = new Uint8Array(reader.bytes());
    } else if (field === FIELD.index && wireType === WireType.Varint) {
      index = reader.uint32();
    } else {
      reader.skip(wireType, field);
    }
  }
  return { subnetId, index };
}

function asCodecError<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new CodecError('INVALID_VALUE', 'justification is not protobuf', { cause });
  }
}

import { CodecError } from '../../src/avalanche/codec/codec.error.js';
import { ID_LENGTH, idToString } from '../../src/avalanche/ids/id.js';
import {
  unpackJustification,
  validationIdOfJustification,
  type L1ValidatorRegistrationJustification,
} from '../../src/avalanche/warp/justification.js';
import type { L1ValidatorRegistration } from '../../src/avalanche/warp/message/l1-validator-registration.js';
import type { L1ValidatorWeight } from '../../src/avalanche/warp/message/l1-validator-weight.js';
import { unpackL1Message, type L1Message } from './l1-message.js';
import { unpackRegisterL1Validator } from '../../src/avalanche/warp/message/register-l1-validator.js';
import { unpackAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import type { World } from '../world/world.js';
import { AppRefusal, refuseOnCodecError } from './app-refusal.js';
import { MAX_UINT64 } from '../../src/avalanche/codec/packer.js';

/** Codes of the P-chain (avalanchego v1.14.2 vms/platformvm/network/warp.go). */
export const P_CHAIN_REFUSALS = {
  notAddressedCall: 1,
  hasSourceAddress: 2,
  unparsablePayload: 3,
  unsupportedPayload: 4,
  unparsableJustification: 5,
  conversionDoesNotExist: 6,
  mismatchedConversionId: 7,
  invalidJustificationType: 8,
  unparsableSubnetId: 9,
  mismatchedValidationId: 10,
  validationDoesNotExist: 11,
  validationExists: 12,
  unparsableRegistration: 13,
  validationCouldBeRegistered: 14,
  impossibleNonce: 15,
  wrongNonce: 16,
  wrongWeight: 17,
} as const;

const CODE = P_CHAIN_REFUSALS;

/** Whether a P-chain node whose state is `world` would sign. Throws AppRefusal. */
export function verifyPChainMessage(world: World, payload: Uint8Array, justification: Uint8Array): void {
  const call = refuseOnCodecError(CODE.notAddressedCall, 'failed to parse warp addressed call', () =>
    unpackAddressedCall(payload),
  );
  if (call.sourceAddress.length > 0) {
    throw new AppRefusal(CODE.hasSourceAddress, 'source address should be empty');
  }
  const message = refuseOnCodecError(
    CODE.unparsablePayload,
    'failed to parse warp addressed call payload',
    () => unpackL1Message(call.payload),
  );
  verifyL1Message(world, message, justification);
}

function verifyL1Message(world: World, message: L1Message, justification: Uint8Array): void {
  switch (message.kind) {
    case 'subnetToL1Conversion':
      return verifyConversion(world, message.id, justification);
    case 'l1ValidatorRegistration':
      return message.registered
        ? verifyRegistered(world, message.validationId)
        : verifyNotRegistered(world, message, justification);
    case 'l1ValidatorWeight':
      return verifyWeight(world, message);
    case 'registerL1Validator':
      throw new AppRefusal(
        CODE.unsupportedPayload,
        'unsupported warp addressed call payload type: *message.RegisterL1Validator',
      );
  }
}

function verifyConversion(world: World, conversionId: Uint8Array, justification: Uint8Array): void {
  if (justification.length !== ID_LENGTH) {
    const reason = `failed to parse justification: expected ${ID_LENGTH} bytes but got ${justification.length}`;
    throw new AppRefusal(CODE.unparsableJustification, reason);
  }
  const expected = conversionIdOf(world, justification);
  const provided = idToString(conversionId);
  if (provided !== expected) {
    throw new AppRefusal(
      CODE.mismatchedConversionId,
      `provided conversionID "${provided}" != expected conversionID "${expected}"`,
    );
  }
}

function verifyRegistered(world: World, validationId: Uint8Array): void {
  if (world.l1Standing(validationId) !== undefined) return;
  throw new AppRefusal(
    CODE.validationDoesNotExist,
    `validation "${idToString(validationId)}" does not exist`,
  );
}

function verifyNotRegistered(
  world: World,
  { validationId }: L1ValidatorRegistration,
  justificationBytes: Uint8Array,
): void {
  const justification = readJustification(justificationBytes);
  const justified = refuseOnCodecError(
    CODE.unparsableRegistration,
    'failed to parse RegisterL1Validator justification',
    () => validationIdOfJustification(justification),
  );
  if (!equal(validationId, justified)) {
    const [provided, expected] = [idToString(validationId), idToString(justified)];
    throw new AppRefusal(
      CODE.mismatchedValidationId,
      `validationID "${provided}" != justificationID "${expected}"`,
    );
  }
  if (justification.kind === 'convertSubnetToL1Tx') {
    conversionIdOf(world, justification.subnetId);
  }
  if (world.l1Standing(validationId) !== undefined) {
    throw new AppRefusal(CODE.validationExists, `validation "${idToString(validationId)}" exists`);
  }
  if (justification.kind === 'registerL1ValidatorMessage') {
    verifyCannotBeRegistered(world, validationId, justification.message);
  }
}

function verifyCannotBeRegistered(world: World, validationId: Uint8Array, message: Uint8Array): void {
  const { expiry } = unpackRegisterL1Validator(message);
  if (expiry <= BigInt(world.clock.timestampSeconds) || world.wasRegistered(validationId)) return;
  throw new AppRefusal(
    CODE.validationCouldBeRegistered,
    `validation "${idToString(validationId)}" can be registered until ${expiry}`,
  );
}

function verifyWeight(world: World, { validationId, nonce, weight }: L1ValidatorWeight): void {
  if (nonce === MAX_UINT64) throw new AppRefusal(CODE.impossibleNonce, 'impossible nonce');
  const validation = world.l1Standing(validationId);
  if (validation === undefined) {
    throw new AppRefusal(
      CODE.validationDoesNotExist,
      `validation "${idToString(validationId)}" does not exist`,
    );
  }
  if (nonce + 1n !== validation.minNonce) {
    const reason = `provided nonce ${nonce} != expected nonce (${validation.minNonce} - 1)`;
    throw new AppRefusal(CODE.wrongNonce, reason);
  }
  if (weight !== validation.weight) {
    throw new AppRefusal(
      CODE.wrongWeight,
      `provided weight ${weight} != expected weight ${validation.weight}`,
    );
  }
}

/** The node distinguishes errors that are one in the library. */
function readJustification(bytes: Uint8Array): L1ValidatorRegistrationJustification {
  try {
    return unpackJustification(bytes);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    if (error.message.includes('names no preimage')) {
      throw new AppRefusal(CODE.invalidJustificationType, 'invalid justification type: <nil>');
    }
    if (error.message.includes('subnet id of')) {
      throw new AppRefusal(CODE.unparsableSubnetId, `failed to parse subnetID: ${error.message}`);
    }
    throw new AppRefusal(CODE.unparsableJustification, `failed to parse justification: ${error.message}`);
  }
}

/** Throws AppRefusal for a subnet that was not converted. */
function conversionIdOf(world: World, subnetIdBytes: Uint8Array): string {
  const subnetId = idToString(subnetIdBytes);
  const conversionId = world.conversionIdOf(subnetId);
  if (conversionId !== undefined) return conversionId;
  throw new AppRefusal(CODE.conversionDoesNotExist, `subnet "${subnetId}" has not been converted`);
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

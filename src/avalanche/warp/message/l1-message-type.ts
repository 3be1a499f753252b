import { CodecError } from '../../codec/codec.error.js';
import { unpackBlob } from '../../codec/codec.js';
import { L1_VALIDATOR_REGISTRATION_TYPE_ID } from './l1-validator-registration.js';
import { L1_VALIDATOR_WEIGHT_TYPE_ID } from './l1-validator-weight.js';
import { REGISTER_L1_VALIDATOR_TYPE_ID } from './register-l1-validator.js';
import { SUBNET_TO_L1_CONVERSION_TYPE_ID } from './subnet-to-l1-conversion.js';

/** The P-chain's messages about L1s (ACP-77; avalanchego v1.15.0 vms/platformvm/warp/message/codec.go). */
const KNOWN: ReadonlySet<number> = new Set([
  SUBNET_TO_L1_CONVERSION_TYPE_ID,
  REGISTER_L1_VALIDATOR_TYPE_ID,
  L1_VALIDATOR_REGISTRATION_TYPE_ID,
  L1_VALIDATOR_WEIGHT_TYPE_ID,
]);

/** Of avalanchego's development branches: no release has them, and their numbers may change. */
const DRAFTS: ReadonlyMap<number, string> = new Map([
  [4, 'ValidatorSetMetadata'],
  [5, 'ValidatorSetDiff'],
  [6, 'ValidatorSetMerkleCommitment'],
]);

/** For people, which later type a message about L1s has; undefined for a known one, and for what is no typed message. */
export function describeUnknownType(l1Message: Uint8Array): string | undefined {
  const typeId = typeIdOf(l1Message);
  if (typeId === undefined || KNOWN.has(typeId)) return undefined;
  const draft = DRAFTS.get(typeId);
  return `type ${typeId}${draft === undefined ? '' : ` (perhaps ${draft})`}`;
}

function typeIdOf(bytes: Uint8Array): number | undefined {
  try {
    return unpackBlob(bytes, (unpacker) => {
      const typeId = unpacker.unpackInt();
      unpacker.unpackFixedBytes(bytes.length - unpacker.offset);
      return typeId;
    });
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { IdError } from './id.error.js';

const CHECKSUM_BYTES = 4;

/** Appends the last four bytes of the sha256, as cb58 and the RPC's hex do (avalanchego v1.14.2 utils/hashing). */
export function withChecksum(bytes: Uint8Array): Uint8Array {
  return concatBytes(bytes, sha256(bytes).slice(-CHECKSUM_BYTES));
}

/** Checks and removes the checksum. Throws IdError. */
export function withoutChecksum(bytes: Uint8Array): Uint8Array {
  if (bytes.length < CHECKSUM_BYTES) throw new IdError('INVALID_CHECKSUM', 'shorter than its checksum');
  const content = bytes.slice(0, -CHECKSUM_BYTES);
  const expected = sha256(content).slice(-CHECKSUM_BYTES);
  if (!expected.every((byte, i) => byte === bytes[content.length + i])) {
    throw new IdError('INVALID_CHECKSUM', 'wrong checksum');
  }
  return content;
}

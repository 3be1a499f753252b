import { hash } from 'node:crypto';
import { fromHex } from './hex.js';
import { IdError } from './id.error.js';

const CHECKSUM_BYTES = 4;
const CHECKSUM_DIGITS = 2 * CHECKSUM_BYTES;

/** In hex. Of lists, which have several a row, half of the time went into checksums: the one-shot form is the fastest. */
export function checksumOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(-CHECKSUM_DIGITS);
}

/** Appends the last four bytes of the sha256, as cb58 and the RPC's hex do (avalanchego v1.14.2 utils/hashing). */
export function withChecksum(bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(bytes.length + CHECKSUM_BYTES);
  all.set(bytes);
  new DataView(all.buffer).setUint32(bytes.length, Number.parseInt(checksumOf(bytes), 16));
  return all;
}

/** Checks and removes the checksum. Throws IdError. */
export function withoutChecksum(bytes: Uint8Array): Uint8Array {
  if (bytes.length < CHECKSUM_BYTES) throw new IdError('INVALID_CHECKSUM', 'shorter than its checksum');
  const content = bytes.slice(0, -CHECKSUM_BYTES);
  const expected = fromHex(checksumOf(content));
  if (!expected.every((byte, i) => byte === bytes[content.length + i])) {
    throw new IdError('INVALID_CHECKSUM', 'wrong checksum');
  }
  return content;
}

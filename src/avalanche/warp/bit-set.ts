import { CodecError } from '../codec/codec.error.js';

/** Far above any validator set; keeps one hostile bit from making megabytes of indices. */
export const MAX_BIT_SET_INDEX = 2 ** 20 - 1;

const MAX_BIT_SET_BYTES = (MAX_BIT_SET_INDEX + 1) / 8;

/**
 * Big-endian magnitude of an integer whose bit i means that canonical validator i signed: bit 0 is the lowest bit of the last byte, no
 * leading zero bytes, no signers = no bytes (avalanchego v1.14.2 utils/set/bits.go). Indices may come in any order. Throws CodecError when
 * one is not an index.
 */
export function packBitSet(indices: Iterable<number>): Uint8Array {
  const sorted = [...indices].sort((a, b) => b - a);
  const highest = sorted[0];
  if (highest === undefined) return new Uint8Array(0);
  const bytes = new Uint8Array(Math.floor(checkIndex(highest) / 8) + 1);
  for (const index of sorted) {
    const place = bytes.length - 1 - Math.floor(checkIndex(index) / 8);
    bytes[place] = (bytes[place] ?? 0) | (1 << (index % 8));
  }
  return bytes;
}

/** Indices of the set bits, ascending. Throws CodecError on a padded or oversized bit set. */
export function unpackBitSet(bytes: Uint8Array): number[] {
  bitLength(bytes);
  if (bytes.length > MAX_BIT_SET_BYTES) {
    throw new CodecError('LENGTH_OUT_OF_RANGE', `bit set of ${bytes.length} bytes`);
  }
  const indices: number[] = [];
  for (let index = 0; index < bytes.length * 8; index++) {
    const byte = bytes[bytes.length - 1 - Math.floor(index / 8)] ?? 0;
    if ((byte & (1 << (index % 8))) !== 0) indices.push(index);
  }
  return indices;
}

/** Highest set bit plus one, 0 for none; without expanding the set. Throws CodecError when padded with zero bytes. */
export function bitLength(bytes: Uint8Array): number {
  const first = bytes[0];
  if (first === undefined) return 0;
  if (first === 0) throw new CodecError('INVALID_VALUE', 'bit set starts with a zero byte');
  return (bytes.length - 1) * 8 + (32 - Math.clz32(first));
}

function checkIndex(index: number): number {
  if (!Number.isInteger(index) || index < 0 || index > MAX_BIT_SET_INDEX) {
    throw new CodecError('INVALID_VALUE', `${index} is not the index of a signer`);
  }
  return index;
}

import { createKeccak } from 'hash-wasm';
import type { Hash } from '../rpc/hex-values.js';

/** One for all: nothing is awaited between its first and last step. Next to parsing blocks, a backfill's speed depends on it. */
const hasher = await createKeccak(256);

export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary');
}

export function toHash(digest: Uint8Array): Hash {
  return `0x${Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('hex')}`;
}

import type { Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';

const WORD_BYTES = 32;

/** Behind the bytes even where they fill the last word: whoever reads looks for it. */
const DELIMITER = 0xff;

/**
 * A signed message as storage keys of a transaction's access list, under the precompile's address
 * (avalanchego v1.14.2 and v1.15.0 vms/evm/predicate).
 */
export function packPredicate(bytes: Uint8Array): Hex[] {
  const words = Math.floor(bytes.length / WORD_BYTES) + 1;
  const padded = new Uint8Array(words * WORD_BYTES);
  padded.set(bytes);
  padded[bytes.length] = DELIMITER;
  return Array.from({ length: words }, (_, word): Hex => {
    const start = word * WORD_BYTES;
    return `0x${toHex(padded.subarray(start, start + WORD_BYTES))}`;
  });
}

import { toHex } from '../ids/hex.js';
import { WORD_BYTES } from '../ids/abi-word.js';

/** Behind the bytes even where they fill the last word: whoever reads looks for it. */
const DELIMITER = 0xff;

/**
 * A signed message as storage keys of a transaction's access list, under the precompile's address
 * (avalanchego v1.14.2 and v1.15.0 vms/evm/predicate).
 */
export function packPredicate(bytes: Uint8Array): `0x${string}`[] {
  const words = Math.floor(bytes.length / WORD_BYTES) + 1;
  const padded = new Uint8Array(words * WORD_BYTES);
  padded.set(bytes);
  padded[bytes.length] = DELIMITER;
  return Array.from({ length: words }, (_, word): `0x${string}` => {
    const start = word * WORD_BYTES;
    return `0x${toHex(padded.subarray(start, start + WORD_BYTES))}`;
  });
}

/** Since Granite (avalanchego v1.14.2 graft/subnet-evm precompile/contracts/warp, GasConfig), for each. */
const PREDICATE_GAS = { message: 125_000, word: 512, signer: 250 } as const;

/** Gas of a transaction for the verification of one signed message, beyond that of its call. */
export function predicateGas({ words, signers }: { words: number; signers: number }): number {
  return PREDICATE_GAS.message + words * PREDICATE_GAS.word + signers * PREDICATE_GAS.signer;
}

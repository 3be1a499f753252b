import type { Bls, BlsPublicKey, UncheckedBlsSignature } from '../bls/bls.js';

export interface ClaimedSignature {
  /** Index in the canonical validator set. */
  index: number;
  publicKey: BlsPublicKey;
  /** On the curve; nothing else is known before it was proved. */
  signature: UncheckedBlsSignature;
}

/**
 * Splits claimed signatures over one message into valid and invalid ones with as few pairings as possible: one check proves a
 * whole batch (with random coefficients, so that two liars cannot cancel out), and only a failing batch is halved.
 * `b` bad signatures among `n` cost about `b · log2(n)` checks instead of `n`.
 */
export function separateInvalid(
  bls: Bls,
  message: Uint8Array,
  claims: readonly ClaimedSignature[],
): { valid: ClaimedSignature[]; invalid: ClaimedSignature[] } {
  if (claims.length === 0) return { valid: [], invalid: [] };
  if (bls.verifyEach(message, claims)) return { valid: [...claims], invalid: [] };
  if (claims.length === 1) return { valid: [], invalid: [...claims] };
  const middle = claims.length >> 1;
  const left = separateInvalid(bls, message, claims.slice(0, middle));
  const right = separateInvalid(bls, message, claims.slice(middle));
  return { valid: [...left.valid, ...right.valid], invalid: [...left.invalid, ...right.invalid] };
}

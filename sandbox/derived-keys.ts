import { createHash } from 'node:crypto';
import { bls, type BlsSecretKey } from '../src/avalanche/bls/bls.js';

/** Order of the BLS12-381 groups: secret keys are added modulo this. */
const GROUP_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

/** Validators with a key of their own; the further ones share parts, see `signingKeyParts`. */
export const INDEPENDENT_KEYS = 16;
const DIGIT = 10;

/** 32 bytes that depend on nothing but these words. */
export function deriveBytes(...words: readonly (string | number)[]): Uint8Array {
  return new Uint8Array(
    createHash('sha256')
      .update(['sandbox', ...words].join('\n'))
      .digest(),
  );
}

/** A secret below the orders of both P-256 and BLS12-381, hence always valid for either. */
export function deriveSecret(...words: readonly (string | number)[]): Uint8Array {
  const bytes = deriveBytes(...words);
  bytes[0] = (bytes[0] ?? 0) & 0x3f;
  return bytes;
}

/**
 * Names of the secrets whose sum is the BLS key of validator `index`.
 *
 * A real network signs on a thousand machines; the sandbox does it on one. Beyond the first 16 validators a key is the
 * sum of three out of a small stock, one for each digit of the index, so that a signature is the sum of three that are made
 * once per message: 15 µs instead of 450. Such keys are as good as any other for everything but secrecy.
 */
export function signingKeyParts(index: number): readonly string[] {
  if (index < INDEPENDENT_KEYS) return [`own ${index}`];
  const rest = index - INDEPENDENT_KEYS;
  const [ones, tens, hundreds] = [rest, Math.floor(rest / DIGIT), Math.floor(rest / DIGIT ** 2)];
  return [`ones ${ones % DIGIT}`, `tens ${tens % DIGIT}`, `hundreds ${hundreds}`];
}

export function deriveSigningKeyPart(seed: string, part: string): BlsSecretKey {
  return bls.secretKeyFromBytes(deriveSecret(seed, 'bls', part));
}

export function addSecretKeys(secretKeys: readonly BlsSecretKey[]): BlsSecretKey {
  const sum = secretKeys.reduce((total, secretKey) => total + toScalar(secretKey), 0n) % GROUP_ORDER;
  return bls.secretKeyFromBytes(new Uint8Array(Buffer.from(sum.toString(16).padStart(64, '0'), 'hex')));
}

function toScalar(secretKey: BlsSecretKey): bigint {
  return BigInt(`0x${Buffer.from(secretKey.toBytes()).toString('hex')}`);
}

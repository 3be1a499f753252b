import { createHash } from 'node:crypto';
import { AvalancheError } from '../avalanche.error.js';
import { bls, type BlsPublicKey } from '../bls/bls.js';
import { toHex } from '../ids/hex.js';

const MAX_WEIGHT = 2n ** 64n - 1n;

export interface ValidatorSetEntry {
  nodeId: string;
  /** 48 compressed bytes, or null: such a validator counts in the total and cannot sign. */
  publicKey: Uint8Array | null;
  weight: bigint;
}

/** One BLS key with the weight of all its nodes; its place in the set is its bit in the signers' bit set. */
export interface CanonicalValidator {
  publicKey: BlsPublicKey;
  /** 48 compressed bytes. */
  publicKeyBytes: Uint8Array;
  weight: bigint;
  /** Ascending. */
  nodeIds: string[];
}

export interface CanonicalValidatorSet {
  validators: CanonicalValidator[];
  /** Of all validators, those without a key included. */
  totalWeight: bigint;
  /** Hex sha256 over the total, and each key and weight in order: equal digests verify the same signatures. */
  digest: string;
}

export type ValidatorSetErrorCode = 'WEIGHT_OUT_OF_RANGE' | 'WEIGHT_OVERFLOW';

/** The weights are not those of a validator set. */
export class ValidatorSetError extends AvalancheError<ValidatorSetErrorCode> {}

/**
 * Merges equal keys and orders them by their 96 uncompressed bytes, which is not the order of the compressed ones
 * (avalanchego v1.14.2 snow/validators/warp.go, FlattenValidatorSet).
 * The chain has checked the keys' proofs of possession; they are parsed as untrusted bytes all the same.
 * Throws ValidatorSetError (a weight or the total beyond uint64) and BlsError.
 */
export function makeCanonicalValidatorSet(entries: Iterable<ValidatorSetEntry>): CanonicalValidatorSet {
  const byKey = new Map<string, Omit<CanonicalValidator, 'publicKey'>>();
  let totalWeight = 0n;
  for (const { nodeId, publicKey, weight } of entries) {
    totalWeight = addWeight(totalWeight, weight);
    if (publicKey === null) continue;
    const key = toHex(publicKey);
    const merged = byKey.get(key);
    if (merged) {
      merged.weight += weight; // at most totalWeight
      merged.nodeIds.push(nodeId);
    } else {
      byKey.set(key, { publicKeyBytes: new Uint8Array(publicKey), weight, nodeIds: [nodeId] });
    }
  }
  const validators = inCanonicalOrder([...byKey.values()]);
  return { validators, totalWeight, digest: digestOf(validators, totalWeight) };
}

function addWeight(totalWeight: bigint, weight: bigint): bigint {
  if (weight < 0n || weight > MAX_WEIGHT) {
    throw new ValidatorSetError('WEIGHT_OUT_OF_RANGE', `weight ${weight} is not an unsigned 64-bit integer`);
  }
  if (totalWeight + weight > MAX_WEIGHT) {
    throw new ValidatorSetError('WEIGHT_OVERFLOW', 'total weight exceeds 64 bits');
  }
  return totalWeight + weight;
}

function inCanonicalOrder(validators: Omit<CanonicalValidator, 'publicKey'>[]): CanonicalValidator[] {
  return validators
    .map((validator) => {
      const publicKey = bls.publicKeyFromBytes(validator.publicKeyBytes);
      validator.nodeIds.sort();
      return { validator: { publicKey, ...validator }, sortKey: publicKey.toUncompressed() };
    })
    .sort((a, b) => Buffer.compare(a.sortKey, b.sortKey))
    .map(({ validator }) => validator);
}

function digestOf(validators: readonly CanonicalValidator[], totalWeight: bigint): string {
  const hash = createHash('sha256').update(uint64(totalWeight));
  for (const { publicKeyBytes, weight } of validators) hash.update(publicKeyBytes).update(uint64(weight));
  return hash.digest('hex');
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

import { createHash } from 'node:crypto';
import { AvalancheError } from '../avalanche.error.js';
import { BoundedMemo } from '../bounded-memo.js';
import { bls, PUBLIC_KEY_BYTES, type BlsPublicKey } from '../bls/bls.js';
import { toHex } from '../ids/hex.js';
import { MAX_UINT64 } from '../codec/packer.js';

const WEIGHT_BYTES = 8;

/** Keys of all networks together; some thousand are in use at a time. */
const MAX_PARSED_KEYS = 20_000;

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
 * The chain has checked the keys' proofs of possession; they are still parsed as untrusted bytes.
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
  const validators = inCanonicalOrder(byKey);
  return { validators, totalWeight, digest: digestOf(validators, totalWeight) };
}

function addWeight(totalWeight: bigint, weight: bigint): bigint {
  if (weight < 0n || weight > MAX_UINT64) {
    throw new ValidatorSetError('WEIGHT_OUT_OF_RANGE', `weight ${weight} is not an unsigned 64-bit integer`);
  }
  if (totalWeight + weight > MAX_UINT64) {
    throw new ValidatorSetError('WEIGHT_OVERFLOW', 'total weight exceeds 64 bits');
  }
  return totalWeight + weight;
}

function inCanonicalOrder(
  byKey: ReadonlyMap<string, Omit<CanonicalValidator, 'publicKey'>>,
): CanonicalValidator[] {
  return [...byKey]
    .map(([key, validator]) => {
      const { publicKey, sortKey } = parsedKeys.get(key, () => parseKey(validator.publicKeyBytes));
      validator.nodeIds.sort();
      return { validator: { publicKey, ...validator }, sortKey };
    })
    .sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1))
    .map(({ validator }) => validator);
}

interface ParsedKey {
  publicKey: BlsPublicKey;
  /** Hex of the 96 uncompressed bytes: texts are compared faster than bytes. No two keys of a set have the same. */
  sortKey: string;
}

/**
 * By their bytes as text. The sets of two heights differ in a few weights, and to parse a key costs more than all the rest that is done
 * for its validator.
 */
const parsedKeys = new BoundedMemo<ParsedKey>(MAX_PARSED_KEYS);

/** Throws BlsError. */
function parseKey(bytes: Uint8Array): ParsedKey {
  const publicKey = bls.publicKeyFromBytes(bytes);
  return { publicKey, sortKey: toHex(publicKey.toUncompressed()) };
}

function digestOf(validators: readonly CanonicalValidator[], totalWeight: bigint): string {
  const content = Buffer.alloc(WEIGHT_BYTES + validators.length * (PUBLIC_KEY_BYTES + WEIGHT_BYTES));
  let offset = content.writeBigUInt64BE(totalWeight);
  for (const { publicKeyBytes, weight } of validators) {
    content.set(publicKeyBytes, offset);
    offset = content.writeBigUInt64BE(weight, offset + PUBLIC_KEY_BYTES);
  }
  return createHash('sha256').update(content).digest('hex');
}

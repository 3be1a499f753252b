import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { field } from '../../../test/support/codec-properties.js';
import { loadVectors } from '../../../test/support/vectors.js';
import { bls, BlsError } from '../bls/bls.js';
import { noble } from '../bls/noble.js';
import { fromHex, toHex } from '../ids/hex.js';
import {
  makeCanonicalValidatorSet,
  ValidatorSetError,
  type CanonicalValidatorSet,
  type ValidatorSetEntry,
} from './canonical-validator-set.js';

interface RpcValidator {
  publicKey: string | null;
  weight: string;
}

const { cases } = loadVectors<{
  cases: {
    note: string;
    input: { nodeID: string; publicKey: string | null; weight: string }[];
    canonical:
      { nodeIDs: string[]; publicKey: string; publicKeyUncompressed: string; weight: string }[] | null;
    totalWeight: string | null;
    error: string | null;
    getValidatorsAtReply: Record<string, RpcValidator> | null;
    getAllValidatorsAtEntry: {
      validators: (RpcValidator & { publicKey: string; nodeIDs: string[] })[];
      totalWeight: string;
    } | null;
  }[];
}>('canonical_sets');
const good = cases.filter(({ error }) => error === null);
const bad = cases.filter(({ error }) => error !== null);

const toKey = (hex: string | null): Uint8Array | null => (hex === null ? null : fromHex(hex));

/** 30 keys of fixed secrets. */
const KEYS = Array.from({ length: 30 }, (_, i) =>
  bls.publicKeyOf(bls.secretKeyFromBytes(new Uint8Array(32).fill(i + 1))).toCompressed(),
);

/** The same by other means: noble's uncompressed keys as text. */
function describeNaively(entries: ValidatorSetEntry[]): [string, bigint, string[]][] {
  const keys = [...new Set(entries.flatMap(({ publicKey }) => (publicKey ? [toHex(publicKey)] : [])))];
  const uncompressed = (key: string): string =>
    toHex(noble.publicKeyFromBytes(fromHex(key)).toUncompressed());
  return keys
    .map((key) => ({ key, order: uncompressed(key) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ key }) => {
      const own = entries.filter(({ publicKey }) => publicKey && toHex(publicKey) === key);
      const weight = own.reduce((sum, entry) => sum + entry.weight, 0n);
      return [key, weight, own.map(({ nodeId }) => nodeId).sort()];
    });
}

function describeSet({ validators }: CanonicalValidatorSet): [string, bigint, string[]][] {
  return validators.map(({ publicKeyBytes, weight, nodeIds }) => [toHex(publicKeyBytes), weight, nodeIds]);
}

describe(makeCanonicalValidatorSet.name, () => {
  it.each(good)('orders and merges as avalanchego: $note', ({ input, canonical, totalWeight }) => {
    const set = makeCanonicalValidatorSet(
      input.map(({ nodeID, publicKey, weight }) => ({
        nodeId: nodeID,
        publicKey: toKey(publicKey),
        weight: BigInt(weight),
      })),
    );
    expect(describeSet(set)).toEqual(
      (canonical ?? []).map(({ publicKey, weight, nodeIDs }) => [publicKey, BigInt(weight), nodeIDs]),
    );
    expect(set.validators.map(({ publicKey }) => toHex(publicKey.toUncompressed()))).toEqual(
      (canonical ?? []).map(({ publicKeyUncompressed }) => publicKeyUncompressed),
    );
    expect(set.totalWeight).toBe(BigInt(totalWeight!));
  });

  it.each(good)(
    'makes the same of the forms of the RPC: $note',
    ({ getValidatorsAtReply, getAllValidatorsAtEntry, canonical }) => {
      const one = makeCanonicalValidatorSet(
        Object.entries(getValidatorsAtReply ?? {}).map(([nodeId, { publicKey, weight }]) => ({
          nodeId,
          publicKey: toKey(publicKey),
          weight: BigInt(weight),
        })),
      );
      // getAllValidatorsAt has merged equal keys already, and states the total instead of the keyless validators.
      const all = makeCanonicalValidatorSet(
        (getAllValidatorsAtEntry?.validators ?? []).map(({ publicKey, weight, nodeIDs }) => ({
          nodeId: nodeIDs.toSorted().join(),
          publicKey: toKey(publicKey),
          weight: BigInt(weight),
        })),
      );
      expect(one.totalWeight).toBe(BigInt(getAllValidatorsAtEntry?.totalWeight ?? 0));
      expect(describeSet(one).map(([key, weight, nodeIds]) => [key, weight, [nodeIds.join()]])).toEqual(
        describeSet(all),
      );
      expect(describeSet(one).map(([key]) => key)).toEqual(
        (canonical ?? []).map(({ publicKey }) => publicKey),
      );
    },
  );

  it.each(bad)('refuses what avalanchego refuses: $note', ({ input }) => {
    const entries = input.map(({ nodeID, publicKey, weight }) => ({
      nodeId: nodeID,
      publicKey: toKey(publicKey),
      weight: BigInt(weight),
    }));
    expect(() => makeCanonicalValidatorSet(entries)).toThrow(ValidatorSetError);
    expect(() => makeCanonicalValidatorSet(entries)).toThrow(
      expect.objectContaining({ code: 'WEIGHT_OVERFLOW' }),
    );
  });

  it.each([-1n, 2n ** 64n])('refuses the weight %d', (weight) => {
    expect(() => makeCanonicalValidatorSet([{ nodeId: 'a', publicKey: null, weight }])).toThrow(
      expect.objectContaining({ code: 'WEIGHT_OUT_OF_RANGE' }),
    );
  });

  it('refuses a key that is none', () => {
    for (const publicKey of [new Uint8Array(48), KEYS[0]!.slice(1), fromHex(`c0${'00'.repeat(47)}`)]) {
      expect(() => makeCanonicalValidatorSet([{ nodeId: 'a', publicKey, weight: 1n }])).toThrow(BlsError);
    }
  });

  const entries = fc.array(
    fc.record({
      nodeId: field.nodeId.map(toHex),
      publicKey: fc.oneof(
        { weight: 1, arbitrary: fc.constant(null) },
        { weight: 5, arbitrary: fc.constantFrom(...KEYS) },
      ),
      weight: fc.oneof(fc.constantFrom(0n, 1n, 2n ** 58n), fc.bigInt({ min: 0n, max: 2n ** 58n })),
    }),
    { maxLength: 25 },
  );

  it('agrees with a naive construction', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const set = makeCanonicalValidatorSet(list);
        expect(describeSet(set)).toEqual(describeNaively(list));
        expect(set.totalWeight).toBe(list.reduce((sum, { weight }) => sum + weight, 0n));
      }),
      { numRuns: 30 },
    );
  });

  it('does not depend on the order of the entries', () => {
    const shuffled = entries.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const [a, b] = [makeCanonicalValidatorSet(list), makeCanonicalValidatorSet(other)];
        expect(describeSet(a)).toEqual(describeSet(b));
        expect(a.digest).toBe(b.digest);
      }),
      { numRuns: 50 },
    );
  });

  it('digests what a verifier looks at: keys, weights and total', () => {
    const base = [
      { nodeId: 'a', publicKey: KEYS[0]!, weight: 1n },
      { nodeId: 'b', publicKey: KEYS[1]!, weight: 2n },
      { nodeId: 'c', publicKey: null, weight: 3n },
    ];
    const digestWith = (change: (list: ValidatorSetEntry[]) => void): string => {
      const list: ValidatorSetEntry[] = base.map((entry) => ({ ...entry }));
      change(list);
      return makeCanonicalValidatorSet(list).digest;
    };
    const digest = digestWith(() => undefined);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(digestWith((list) => (list[0]!.nodeId = 'z'))).toBe(digest);
    const others = [
      digestWith((list) => (list[0]!.weight = 2n)),
      digestWith((list) => (list[1]!.publicKey = KEYS[2]!)),
      digestWith((list) => (list[2]!.weight = 4n)),
      digestWith((list) => list.pop()),
      digestWith((list) => ([list[0]!.weight, list[1]!.weight] = [2n, 1n])),
    ];
    expect(new Set([digest, ...others]).size).toBe(6);
  });

  it('does not keep a reference to the bytes of a key', () => {
    const publicKey = Uint8Array.from(KEYS[0]!);
    const set = makeCanonicalValidatorSet([{ nodeId: 'a', publicKey, weight: 1n }]);
    publicKey.fill(0);
    expect(set.validators[0]!.publicKeyBytes).toEqual(KEYS[0]);
  });

  it('parses a key once, also for other sets and other nodes', () => {
    const entry = { nodeId: 'a', publicKey: KEYS[0]!, weight: 1n };
    const [first] = makeCanonicalValidatorSet([entry]).validators;
    const [second] = makeCanonicalValidatorSet([
      { nodeId: 'b', publicKey: Uint8Array.from(KEYS[0]!), weight: 2n },
    ]).validators;
    expect(second!.publicKey).toBe(first!.publicKey);
    expect([second!.weight, second!.nodeIds]).toEqual([2n, ['b']]);
  });

  it('refuses a bad key however often it comes', () => {
    const entry = { nodeId: 'a', publicKey: new Uint8Array(48).fill(0x9f), weight: 1n };
    for (let i = 0; i < 3; i++) expect(() => makeCanonicalValidatorSet([entry])).toThrow(BlsError);
  });

  it('orders 1000 validators', () => {
    const keys = Array.from({ length: 1000 }, (_, i) => {
      const secret = new Uint8Array(32).fill(1);
      new DataView(secret.buffer).setUint16(30, i);
      return bls.publicKeyOf(bls.secretKeyFromBytes(secret)).toCompressed();
    });
    const set = makeCanonicalValidatorSet(
      keys.map((publicKey, i) => ({ nodeId: `${i}`, publicKey, weight: 1n })),
    );
    const order = set.validators.map(({ publicKey }) => toHex(publicKey.toUncompressed()));
    expect(new Set(order).size).toBe(1000);
    expect(order.every((key, i) => i === 0 || order[i - 1]! < key)).toBe(true);
  });
});

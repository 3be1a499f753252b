import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadVectors } from '../../../../test/support/vectors.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { BloomFilter, bloomHash, EMPTY_BLOOM_FILTER, optimalBloomParameters } from './bloom-filter.js';
import { P2pError } from '../p2p.error.js';

interface Vectors {
  added: string[];
  filter: string;
  minimalEmptyFilter: string;
  optimalParameters: { count: number; falsePositive: number; numEntryBytes: number; numHashes: number }[];
  parse: { bytes: string; error: string | null }[];
  probes: { key: string; hash: string; contains: boolean }[];
  salt: string;
  seeds: string[];
}

const vectors = loadVectors<Vectors>('bloom');
const salt = fromHex(vectors.salt);

describe(BloomFilter.name, () => {
  it('holds what avalanchego puts in, bit for bit', () => {
    const entryBytes = vectors.filter.length / 2 - 1 - 8 * vectors.seeds.length;
    const filter = BloomFilter.withSeeds(
      vectors.seeds.map((seed) => BigInt(`0x${seed}`)),
      entryBytes,
    );
    vectors.added.forEach((key) => filter.add(bloomHash(fromHex(key), salt)));
    expect(toHex(filter.toBytes())).toBe(vectors.filter);
  });

  it.each(vectors.probes)('reports whether it holds $key', ({ key, hash, contains }) => {
    const value = bloomHash(fromHex(key), salt);
    expect(value.toString(16).padStart(16, '0')).toBe(hash);
    expect(BloomFilter.fromBytes(fromHex(vectors.filter)).has(value)).toBe(contains);
  });

  it.each(vectors.parse)('parses $bytes: $error', ({ bytes, error }) => {
    const parse = (): BloomFilter => BloomFilter.fromBytes(fromHex(bytes));
    if (error !== null) {
      expect(parse).toThrow(P2pError);
    } else {
      expect(toHex(parse().toBytes())).toBe(bytes);
    }
  });

  it('reads and writes the smallest filter', () => {
    expect(toHex(EMPTY_BLOOM_FILTER)).toBe(vectors.minimalEmptyFilter);
    expect(BloomFilter.fromBytes(EMPTY_BLOOM_FILTER).has(0n)).toBe(false);
  });

  it.each(vectors.optimalParameters)('chooses its size for $count keys', (vector) => {
    expect(optimalBloomParameters(vector.count, vector.falsePositive)).toEqual({
      hashes: vector.numHashes,
      entryBytes: vector.numEntryBytes,
    });
  });

  it('always holds what was added, and little else', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 50 }),
        (hashes) => {
          const filter = BloomFilter.forCount(Math.max(hashes.length, 1), 0.001);
          hashes.forEach((hash) => filter.add(hash));
          const parsed = BloomFilter.fromBytes(filter.toBytes());
          expect(hashes.every((hash) => parsed.has(hash))).toBe(true);
        },
      ),
    );
    const filter = BloomFilter.forCount(1000, 0.001);
    for (let i = 0; i < 1000; i++) filter.add(bloomHash(Uint8Array.of(1, i >> 8, i & 255), salt));
    const others = Array.from({ length: 1000 }, (_, i) => bloomHash(Uint8Array.of(2, i >> 8, i & 255), salt));
    expect(others.filter((hash) => filter.has(hash)).length).toBeLessThan(20);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeOf } from '../../../test/support/codec-properties.js';
import { loadVectors } from '../../../test/support/vectors.js';
import { fromHex, toHex } from '../ids/hex.js';
import { bitLength, MAX_BIT_SET_INDEX, packBitSet, unpackBitSet } from './bit-set.js';

const { bitsets } = loadVectors<{
  bitsets: { bytes: string; indices: number[]; bitLen: number; len: number }[];
}>('warp');

const indexSets = fc.uniqueArray(fc.oneof(fc.nat({ max: 2000 }), fc.nat({ max: 20 })), { maxLength: 200 });

describe('a bit set', () => {
  it.each(bitsets)('packs $indices into $bytes', ({ bytes, indices, bitLen, len }) => {
    expect(toHex(packBitSet(indices))).toBe(bytes);
    expect(unpackBitSet(fromHex(bytes))).toEqual(indices);
    expect(unpackBitSet(fromHex(bytes))).toHaveLength(len);
    expect(bitLength(fromHex(bytes))).toBe(bitLen);
  });

  it('is the sum of powers of two, in any order and with repetitions', () => {
    fc.assert(
      fc.property(indexSets, (indices) => {
        const bytes = packBitSet([...indices, ...indices.slice(0, 3)]);
        const sum = indices.reduce((total, index) => total + (1n << BigInt(index)), 0n);
        expect(BigInt(`0x0${toHex(bytes)}`)).toBe(sum);
        expect(bitLength(bytes)).toBe(Math.max(-1, ...indices) + 1);
        expect(unpackBitSet(bytes)).toEqual(indices.toSorted((a, b) => a - b));
      }),
    );
  });

  it('has one form: what is accepted packs to the same bytes, the rest raises CodecError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const code = codeOf(() => expect(packBitSet(unpackBitSet(bytes))).toEqual(bytes));
        expect(code).toBe(bytes[0] === 0 ? 'INVALID_VALUE' : 'accepted');
      }),
    );
  });

  it.each(['00', '0001', '00ff', '0000'])('refuses the padded %s', (hex) => {
    expect(codeOf(() => unpackBitSet(fromHex(hex)))).toBe('INVALID_VALUE');
    expect(codeOf(() => bitLength(fromHex(hex)))).toBe('INVALID_VALUE');
  });

  it('refuses to expand what no validator set can need', () => {
    const bytes = new Uint8Array((MAX_BIT_SET_INDEX + 1) / 8 + 1).fill(255);
    expect(codeOf(() => unpackBitSet(bytes))).toBe('LENGTH_OUT_OF_RANGE');
    expect(bitLength(bytes)).toBe(MAX_BIT_SET_INDEX + 9);
  });

  it.each([-1, 0.5, NaN, Infinity, MAX_BIT_SET_INDEX + 1])('refuses the index %d', (index) => {
    expect(codeOf(() => packBitSet([1, index]))).toBe('INVALID_VALUE');
  });
});

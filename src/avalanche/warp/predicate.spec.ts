import { describe, expect, it } from '@jest/globals';
import { packPredicate, predicateGas } from './predicate.js';

const word = (start: string): string => `0x${start.padEnd(64, '0')}`;
const ones = (count: number): string => '11'.repeat(count);

describe(packPredicate.name, () => {
  it.each([
    { length: 0, words: [word('ff')] },
    { length: 1, words: [word('11ff')] },
    { length: 31, words: [word(`${ones(31)}ff`)] },
    { length: 32, words: [word(ones(32)), word('ff')] },
    { length: 65, words: [word(ones(32)), word(ones(32)), word('11ff')] },
  ])('puts the delimiter behind $length bytes', ({ length, words }) => {
    expect(packPredicate(new Uint8Array(length).fill(0x11))).toEqual(words);
  });
});

describe(predicateGas.name, () => {
  it('is charged for the message, each of its words and each signer', () => {
    expect(predicateGas({ words: 0, signers: 0 })).toBe(125_000);
    expect(predicateGas({ words: 10, signers: 4 })).toBe(125_000 + 5_120 + 1_000);
  });
});

import { describe, expect, it } from '@jest/globals';
import { delegatorPart } from './rewards.js';

describe(delegatorPart, () => {
  it.each([
    [229_948n, 200_000, 183_958n], // measured on a network of real nodes
    [0n, 20_000, 0n],
    [1n, 20_000, 0n],
    [1_000_000n, 0, 1_000_000n],
    [1_000_000n, 1_000_000, 0n],
    [18_446_744_073_709n, 0, 18_446_744_073_709n],
    // one more than fits: divided first
    [18_446_744_073_710n, 0, 18_446_744_000_000n],
    [720_000_000_000_000_000n, 20_000, 705_600_000_000_000_000n],
  ])('of %d at %d millionths is %d', (reward, shares, part) => {
    expect(delegatorPart(reward, shares)).toBe(part);
  });
});

import { describe, expect, it } from '@jest/globals';
import { bucketOf, QUANTILE_ERROR, quantileOf } from './latency-bucket.js';

const count = (values: readonly number[]): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(bucketOf(value), (counts.get(bucketOf(value)) ?? 0) + 1);
  return counts;
};

describe(quantileOf.name, () => {
  const times = Array.from({ length: 1_000 }, (_, i) => 5 * (i + 1));

  it.each([
    [0.5, 2_500],
    [0.95, 4_750],
    [0.99, 4_950],
    [1, 5_000],
  ])('returns the value below which a share of %s lies, 2 %% off at most', (share, value) => {
    const estimate = quantileOf(count(times), share);
    expect(Math.abs((estimate ?? 0) / value - 1)).toBeLessThan(QUANTILE_ERROR);
  });

  it('puts the shortest times into one bucket, and any time into one that a smallint can hold', () => {
    expect(bucketOf(0)).toBe(bucketOf(0.01));
    expect(bucketOf(Number.MAX_VALUE)).toBeLessThan(2 ** 15);
  });

  it('returns nothing where nothing was counted', () => {
    expect(quantileOf(new Map(), 0.5)).toBeUndefined();
    expect(quantileOf(new Map([[3, 0]]), 0.5)).toBeUndefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import { bucketOf, quantileOf } from './latency-histogram.js';

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
  ])('tells the value below which a share of %s lies, 5 %% off at most', (share, value) => {
    const told = quantileOf(count(times), share);
    expect(Math.abs((told ?? 0) / value - 1)).toBeLessThan(0.05);
  });

  it('puts what is shorter than a millisecond, or not to be believed, at the ends of the scale', () => {
    expect(bucketOf(0)).toBe(bucketOf(1));
    expect(bucketOf(Number.MAX_VALUE)).toBe(bucketOf(10 ** 9));
  });

  it('tells nothing where nothing was counted', () => {
    expect(quantileOf(new Map(), 0.5)).toBeUndefined();
    expect(quantileOf(new Map([[3, 0]]), 0.5)).toBeUndefined();
  });
});

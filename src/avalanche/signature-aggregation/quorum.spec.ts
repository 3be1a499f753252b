import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadVectors } from '../../../test/support/vectors.js';
import { isQuorumReached, minimumWeight } from './quorum.js';

const vectors = loadVectors<{
  quorum: { signed: string; total: string; percent: number; enough: boolean; minimumWeight: string }[];
}>('verify');

const MAX_UINT64 = 2n ** 64n - 1n;
const weight = fc.oneof(
  fc.bigInt({ min: 0n, max: MAX_UINT64 }),
  fc.bigInt({ min: 0n, max: 1000n }),
  fc.constantFrom(0n, 1n, MAX_UINT64 - 1n, MAX_UINT64, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n),
);
const percentage = fc.integer({ min: 0, max: 100 });

/** a/b >= c/d by comparing whole parts and then the inverted remainders, without multiplying anything. */
function isAtLeast(a: bigint, b: bigint, c: bigint, d: bigint): boolean {
  if (a / b !== c / d) return a / b > c / d;
  const [left, right] = [a % b, c % d];
  if (right === 0n) return true;
  return left === 0n ? false : isAtLeast(d, right, b, left);
}

describe(isQuorumReached.name, () => {
  it.each(vectors.quorum)(
    '$signed of $total at $percent %: $enough',
    ({ signed, total, percent, enough }) => {
      const weights = { signedWeight: BigInt(signed), totalWeight: BigInt(total) };
      expect(isQuorumReached({ ...weights, percentage: percent })).toBe(enough);
      expect(isQuorumReached({ ...weights, percentage: BigInt(percent) })).toBe(enough);
    },
  );

  it('agrees with plain fractions', () => {
    fc.assert(
      fc.property(weight, weight, percentage, (signedWeight, totalWeight, percent) => {
        fc.pre(totalWeight > 0n);
        expect(isQuorumReached({ signedWeight, totalWeight, percentage: percent })).toBe(
          isAtLeast(signedWeight, totalWeight, BigInt(percent), 100n),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('never reverts when more sign', () => {
    fc.assert(
      fc.property(weight, weight, weight, percentage, (signedWeight, more, totalWeight, percent) => {
        fc.pre(isQuorumReached({ signedWeight, totalWeight, percentage: percent }));
        expect(isQuorumReached({ signedWeight: signedWeight + more, totalWeight, percentage: percent })).toBe(
          true,
        );
      }),
    );
  });
});

describe(minimumWeight.name, () => {
  it.each(vectors.quorum)('of $total at $percent %: $minimumWeight', (vector) => {
    expect(minimumWeight({ totalWeight: BigInt(vector.total), percentage: vector.percent })).toBe(
      BigInt(vector.minimumWeight),
    );
  });

  it('is the smallest weight that reaches the quorum', () => {
    fc.assert(
      fc.property(weight, percentage, (totalWeight, percent) => {
        const minimum = minimumWeight({ totalWeight, percentage: percent });
        const reaches = (signedWeight: bigint): boolean =>
          isQuorumReached({ signedWeight, totalWeight, percentage: percent });
        expect(reaches(minimum)).toBe(true);
        expect(minimum === 0n || !reaches(minimum - 1n)).toBe(true);
        expect(minimum <= totalWeight).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

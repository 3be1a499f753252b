import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadVectors } from '../../../test/support/vectors.js';
import { hasQuorum } from './quorum.js';
import { MAX_UINT64 } from '../codec/packer.js';

const vectors = loadVectors<{
  quorum: { signed: string; total: string; percent: number; enough: boolean; minimumWeight: string }[];
}>('verify');

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

describe(hasQuorum.name, () => {
  it.each(vectors.quorum)(
    'finds that $signed of $total is a quorum of $percent %: $enough',
    ({ signed, total, percent, enough }) => {
      expect(
        hasQuorum({
          signers: 1,
          signedWeight: BigInt(signed),
          totalWeight: BigInt(total),
          percentage: percent,
        }),
      ).toBe(enough);
    },
  );

  it.each(vectors.quorum)(
    'asks for no weight less than $minimumWeight of $total at $percent %',
    ({ total, percent, minimumWeight }) => {
      const reaches = (signedWeight: bigint) =>
        hasQuorum({ signers: 1, signedWeight, totalWeight: BigInt(total), percentage: percent });
      const minimum = BigInt(minimumWeight);
      expect(reaches(minimum)).toBe(true);
      expect(minimum > 0n && reaches(minimum - 1n)).toBe(false);
    },
  );

  it('agrees with plain fractions', () => {
    fc.assert(
      fc.property(weight, weight, percentage, (signedWeight, totalWeight, percent) => {
        fc.pre(totalWeight > 0n);
        expect(hasQuorum({ signers: 1, signedWeight, totalWeight, percentage: percent })).toBe(
          isAtLeast(signedWeight, totalWeight, BigInt(percent), 100n),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('stays true when more sign', () => {
    fc.assert(
      fc.property(weight, weight, weight, percentage, (signedWeight, more, totalWeight, percent) => {
        const quorum = { signers: 1, signedWeight, totalWeight, percentage: percent };
        fc.pre(hasQuorum(quorum));
        expect(hasQuorum({ ...quorum, signers: 2, signedWeight: signedWeight + more })).toBe(true);
      }),
    );
  });

  it('takes one signer even at 0 %', () => {
    const nobody = { signers: 0, signedWeight: 0n, totalWeight: 5n, percentage: 0 };
    expect(hasQuorum(nobody)).toBe(false);
    expect(hasQuorum({ ...nobody, totalWeight: 0n })).toBe(false);
    expect(hasQuorum({ ...nobody, signers: 1 })).toBe(true);
  });
});

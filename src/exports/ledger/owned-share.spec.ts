import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ownedShare } from './owned-share.js';

const amounts = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const owners = fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{40}$/), { minLength: 1, maxLength: 12 });

describe(ownedShare.name, () => {
  it('divides an amount among accounts without a rest, however its owners belong to them', () => {
    fc.assert(
      fc.property(amounts, owners, fc.infiniteStream(fc.nat({ max: 3 })), (amount, all, stream) => {
        const accountOf = new Map(all.map((owner) => [owner, stream.next().value]));
        const shares = [0, 1, 2, 3].map((account) =>
          ownedShare(amount, all, (owner) => accountOf.get(owner) === account),
        );
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(amount);
      }),
    );
  });

  it('gives each owner the same, but for one unit', () => {
    fc.assert(
      fc.property(amounts, owners, (amount, all) => {
        const least = amount / BigInt(all.length);
        for (const each of all) {
          const share = ownedShare(amount, all, (owner) => owner === each);
          expect(share === least || share === least + 1n).toBe(true);
        }
      }),
    );
  });

  it('gives nothing of what has no owner', () => {
    expect(ownedShare(7n, [], () => true)).toBe(0n);
  });
});

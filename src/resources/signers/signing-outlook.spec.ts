import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Signer, signingOutlook } from './signing-outlook.js';

const signerArbitrary = fc.record({
  nodeIds: fc.constant(['NodeID-a']),
  weight: fc.bigInt({ min: 0n, max: 100n }),
  canSign: fc.boolean(),
  isProven: fc.boolean(),
});

const sum = (signers: readonly Signer[]): bigint => signers.reduce((total, { weight }) => total + weight, 0n);

describe(signingOutlook.name, () => {
  it('finds the fewest losses that break the quorum, as trying all of them does', () => {
    fc.assert(
      fc.property(
        fc.array(signerArbitrary, { maxLength: 8 }),
        fc.bigInt({ min: 0n, max: 100n }),
        (signers, keyless) => {
          const total = sum(signers) + keyless;
          const able = signers.filter(({ canSign }) => canSign);
          const isMet = (some: readonly Signer[]) => some.length > 0 && sum(some) * 100n >= total * 67n;
          const sizes = Array.from({ length: 2 ** able.length }, (_, set) => {
            const lost = able.filter((__, index) => (set >> index) % 2 === 1);
            return isMet(able.filter((signer) => !lost.includes(signer))) ? Infinity : lost.length;
          });
          const outlook = signingOutlook(signers, total);
          expect(outlook.isQuorumMet).toBe(isMet(able));
          expect(outlook.signingWeight).toBe(sum(able));
          expect(outlook.indispensable).toHaveLength(isMet(able) ? Math.min(...sizes) : 0);
          expect(isMet(able.filter((signer) => !outlook.indispensable.includes(signer)))).toBe(false);
        },
      ),
    );
  });

  it('lists the heaviest first, and counts who has signed lately by itself', () => {
    const signer = (name: string, weight: bigint, isProven = true): Signer => ({
      nodeIds: [name],
      weight,
      canSign: true,
      isProven,
    });
    const signers = [signer('a', 10n), signer('b', 40n, false), signer('c', 30n), signer('d', 20n)];
    expect(signingOutlook(signers, 100n)).toMatchObject({
      signingWeight: 100n,
      provenWeight: 60n,
      indispensable: [{ nodeIds: ['b'] }],
    });
    const equal = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => signer(name, 10n));
    expect(signingOutlook(equal, 60n).indispensable.map(({ nodeIds }) => nodeIds[0])).toEqual(['a', 'b']);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RunningSums } from './running-sums.js';

describe(RunningSums.name, () => {
  it('has at every height what all changes up to it add up to', () => {
    const changes = fc.array(fc.tuple(fc.bigInt(0n, 20n), fc.bigInt(-9n, 9n)));
    fc.assert(
      fc.property(changes, (unsorted) => {
        const sorted = unsorted.toSorted(([a], [b]) => Number(a - b));
        const sums = new RunningSums();
        for (const [height, change] of sorted) sums.add(height, change);
        for (let height = -1n; height <= 21n; height += 1n) {
          const until = sorted.filter(([at]) => at <= height);
          expect(sums.upTo(height)).toBe(until.reduce((sum, [, change]) => sum + change, 0n));
        }
        expect(sums.total).toBe(sums.upTo(21n));
      }),
    );
  });
});

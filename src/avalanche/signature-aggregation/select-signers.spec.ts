import { describe, expect, it } from '@jest/globals';
import { loadVectors } from '../../../test/support/vectors.js';
import { selectSigners } from './select-signers.js';

interface PruneVector {
  note: string;
  quorumPercent: number;
  set: { totalWeight: number | string; validators: { index: number; weight: string }[] };
  signers: number[];
  keep: number[];
}

const { prune } = loadVectors<{ prune: PruneVector[] }>('aggregation');

describe(selectSigners.name, () => {
  it.each(prune.map((vector) => [vector.note, vector] as const))(
    'keeps whom the Go aggregator keeps: %s',
    (_note, vector) => {
      const signers = vector.set.validators
        .filter(({ index }) => vector.signers.includes(index))
        .map(({ index, weight }) => ({ index, weight: BigInt(weight) }));
      const kept = selectSigners(signers, {
        totalWeight: BigInt(vector.set.totalWeight),
        percentage: vector.quorumPercent,
      });
      expect(kept.map(({ index }) => index)).toEqual(vector.keep);
    },
  );

  it('keeps all when they do not reach the percentage, and one when the percentage is 0', () => {
    const signers = [
      { index: 0, weight: 1n },
      { index: 4, weight: 2n },
    ];
    expect(selectSigners(signers, { totalWeight: 100n, percentage: 67 })).toEqual(signers);
    expect(selectSigners(signers, { totalWeight: 100n, percentage: 0 })).toEqual([signers[1]]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { medians } from './validator-poller.js';

describe(medians.name, () => {
  it('takes the value in the middle, or the mean of the two in the middle', () => {
    const reported = [
      ['a', 100],
      ['a', 20],
      ['a', 90],
      ['b', 80],
      ['b', 90],
      ['c', 5],
    ] as const;
    expect([...medians(reported)]).toEqual([
      ['a', 90],
      ['b', 85],
      ['c', 5],
    ]);
  });
});

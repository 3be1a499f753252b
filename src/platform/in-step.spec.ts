import { describe, expect, it } from '@jest/globals';
import { inStep } from './in-step.js';

describe(inStep.name, () => {
  it('ends together what began within a quarter of the wait, and goes on in the same step', () => {
    const ends = [10_010, 10_120, 9_880].map((now) => now + inStep(2_000, now));
    expect(ends).toEqual([12_000, 12_000, 12_000]);
    expect(inStep(2_000, 12_000)).toBe(2_000);
  });

  it('leaves short waits as they are', () => {
    expect([0, 10, 999].map((ms) => inStep(ms, 10_010))).toEqual([0, 10, 999]);
  });
});

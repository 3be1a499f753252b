import { describe, expect, it } from '@jest/globals';
import { DEFAULT_REDIAL_LIMITS, redialDelayMs, throttledDelayMs } from './redial.js';

const delays = (isLoopback: boolean, random: number): number[] =>
  [0, 1, 2, 3, 20, 5000].map((failures) =>
    redialDelayMs(failures, isLoopback, DEFAULT_REDIAL_LIMITS, () => random),
  );

describe(redialDelayMs.name, () => {
  it('waits briefly, and longer each time, on this machine', () => {
    expect(delays(true, 0)).toEqual([0, 200, 400, 800, 30_000, 30_000]);
    expect(delays(true, 1)).toEqual([200, 250, 500, 1000, 37_500, 37_500]);
  });

  it('never waits less than the pause that nodes insist on elsewhere, unless the connection had been stable', () => {
    expect(delays(false, 0)).toEqual([0, 10_500, 21_000, 42_000, 60_000, 60_000]);
    expect(delays(false, 1)[0]).toBe(1000);
  });
});

describe(throttledDelayMs.name, () => {
  it('waits for the pause that nodes insist on and up to as much again, so that two behind one address part', () => {
    expect(throttledDelayMs(DEFAULT_REDIAL_LIMITS, () => 0)).toBe(10_500);
    expect(throttledDelayMs(DEFAULT_REDIAL_LIMITS, () => 1)).toBe(21_000);
  });
});

import { describe, expect, it } from '@jest/globals';
import { StandingOnNetwork } from './standing.js';

describe(StandingOnNetwork.name, () => {
  it('is isolated from the start until two thirds are connected', () => {
    const standing = new StandingOnNetwork();
    expect(standing.current).toBe('isolated');
    expect(standing.update(0.669, 0)).toBe('isolated');
    expect(standing.update(0.67, 1)).toBe('connected');
  });

  it('works nevertheless after a minute, until it is connected', () => {
    const standing = new StandingOnNetwork();
    standing.update(0, 1_000);
    expect(standing.update(0.5, 60_999)).toBe('isolated');
    expect(standing.update(0.5, 61_000)).toBe('degraded');
    expect(standing.update(0, 900_000)).toBe('degraded');
    expect(standing.update(0.8, 900_001)).toBe('connected');
  });

  it('keeps its work while it has most of the weight that it had: then others are away', () => {
    const standing = new StandingOnNetwork();
    standing.update(1, 0);
    expect(standing.update(0.6, 1_000)).toBe('connected');
    expect(standing.update(0.6, 900_000)).toBe('connected');
    standing.update(0.49, 901_000);
    expect(standing.update(0.49, 906_000)).toBe('isolated');
    expect(standing.update(0.6, 907_000)).toBe('isolated');
  });

  it('is isolated again once its peers have been away for some seconds', () => {
    const standing = new StandingOnNetwork();
    standing.update(1, 0);
    expect(standing.update(0, 1_000)).toBe('connected');
    expect(standing.update(1, 5_900)).toBe('connected');
    expect(standing.update(0, 6_000)).toBe('connected');
    expect(standing.update(0, 10_999)).toBe('connected');
    expect(standing.update(0, 11_000)).toBe('isolated');
    expect(standing.update(0, 66_000)).toBe('degraded');
  });
});

import { describe, expect, it } from '@jest/globals';
import { TokenBucket } from './token-bucket.js';

describe(TokenBucket.name, () => {
  it('allows a burst, then what comes back', () => {
    const bucket = new TokenBucket({ burst: 10, perSecond: 4 }, 0);
    expect(bucket.take(10, 0)).toBe(true);
    expect(bucket.take(1, 0)).toBe(false);
    expect(bucket.take(1, 249)).toBe(false);
    expect(bucket.take(1, 251)).toBe(true);
    expect(bucket.take(11, 1_000_000)).toBe(false);
    expect(bucket.take(10, 1_000_000)).toBe(true);
  });

  it('holds no more than a burst when something is given back', () => {
    const bucket = new TokenBucket({ burst: 10, perSecond: 0 }, 0);
    bucket.take(10, 0);
    bucket.give(4);
    expect([bucket.take(5, 0), bucket.take(4, 0)]).toEqual([false, true]);
    bucket.give(100);
    expect([bucket.take(11, 0), bucket.take(10, 0)]).toEqual([false, true]);
  });

  it('holds when time stands still or goes back', () => {
    const bucket = new TokenBucket({ burst: 2, perSecond: 1 }, 1000);
    expect([bucket.take(1, 500), bucket.take(1, 500), bucket.take(1, 500)]).toEqual([true, true, false]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { aggregationTimes } from './aggregation-times.js';

describe(aggregationTimes.name, () => {
  it('divides the time that attempts have by default', () => {
    expect(aggregationTimes(30_000)).toEqual({
      connectTimeoutMs: 25_000,
      bufferTimeoutMs: 10_000,
      requestTimeoutMs: 5_000,
      refusalRetryMs: 5_000,
      executionRetryMs: 20_000,
      firstAttemptMs: 1_500,
    });
  });

  it('waits for no answer longer than nodes do, and keeps the fast path within its workflow task', () => {
    expect(aggregationTimes(600_000)).toMatchObject({ requestTimeoutMs: 10_000, firstAttemptMs: 5_000 });
  });
});

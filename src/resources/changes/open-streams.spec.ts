import { describe, expect, it } from '@jest/globals';
import { Refusals } from '../../platform/http/errors/refusals.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { OpenStreams } from './open-streams.js';

describe(OpenStreams.name, () => {
  it('has 256 places for all callers together, each free again once, whoever leaves', () => {
    const metrics = new Metrics();
    const streams = new OpenStreams(metrics, new Refusals(metrics));
    const releases = Array.from({ length: 256 }, (_, index) => streams.take(`caller ${index % 32}`));
    const full = expect.objectContaining({ statusCode: 503, retryAfterSeconds: 10 });
    const take = (): unknown => {
      try {
        return streams.take('another');
      } catch (error) {
        return error;
      }
    };
    expect(take()).toEqual(full);
    releases[0]?.();
    releases[0]?.();
    expect(take()).toEqual(expect.any(Function));
    expect(take()).toEqual(full);
  });
});

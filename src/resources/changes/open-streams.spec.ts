import { describe, expect, it } from '@jest/globals';
import { Refusals } from '../../platform/http/errors/refusals.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import {
  MAX_STREAMS_OF_STRANGERS,
  MAX_STREAMS_PER_CALLER,
  MAX_STREAMS_PER_SITE,
  OpenStreams,
} from './open-streams.js';

const callerOf = (owner: string, site?: string) => ({ owner, site, apiKeyId: undefined });
const withKey = (owner: string) => ({ owner, site: undefined, apiKeyId: 'of somebody' });
const full = expect.objectContaining({ statusCode: 503, retryAfterSeconds: 10 });
const tooMany = expect.objectContaining({ statusCode: 429, retryAfterSeconds: 10 });
const place = expect.any(Function);

describe(OpenStreams.name, () => {
  it('has 256 places for all callers together, each free again once, whoever leaves', () => {
    const streams = makeStreams();
    const releases = Array.from({ length: 256 }, (_, index) => streams.take(withKey(`caller ${index % 32}`)));
    expect(take(streams, withKey('another'))).toEqual(full);
    releases[0]?.();
    releases[0]?.();
    expect(take(streams, withKey('another'))).toEqual(place);
    expect(take(streams, withKey('another'))).toEqual(full);
  });

  it('keeps places for those with a key', () => {
    const streams = makeStreams();
    for (let index = 0; index < MAX_STREAMS_OF_STRANGERS; index += 1) {
      streams.take(callerOf(`address ${Math.floor(index / MAX_STREAMS_PER_CALLER)}`));
    }
    expect(take(streams, callerOf('another'))).toEqual(full);
    expect(take(streams, withKey('another'))).toEqual(place);
  });

  it('counts the addresses of a site together', () => {
    const streams = makeStreams();
    const releases = Array.from({ length: MAX_STREAMS_PER_SITE }, (_, index) =>
      streams.take(callerOf(`address ${index}`, 'theirs')),
    );
    expect(take(streams, callerOf('another', 'theirs'))).toEqual(tooMany);
    expect(take(streams, callerOf('another', 'of others'))).toEqual(place);
    releases[0]?.();
    expect(take(streams, callerOf('another', 'theirs'))).toEqual(place);
  });
});

function makeStreams(): OpenStreams {
  const metrics = new Metrics();
  return new OpenStreams(metrics, new Refusals(metrics));
}

function take(
  streams: OpenStreams,
  caller: ReturnType<typeof callerOf> | ReturnType<typeof withKey>,
): unknown {
  try {
    return streams.take(caller);
  } catch (error) {
    return error;
  }
}

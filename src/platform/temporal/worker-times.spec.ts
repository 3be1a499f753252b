import { describe, expect, it } from '@jest/globals';
import { parseEnv } from '../config/env.schema.js';
import { workerTimes } from './worker-times.js';

describe(workerTimes.name, () => {
  it('lets workers of each queue be silent for as long as their work needs', () => {
    expect(workerTimes(parseEnv({ DATABASE_URL: 'postgres://unused' }))).toEqual({
      signatures: { heartbeatMs: 5_000 },
      exports: { heartbeatMs: 10_000, turnMs: 10_000 },
      nfts: { heartbeatMs: 15_000 },
      indexing: { heartbeatMs: 20_000, advanceMs: 50_000 },
    });
  });
});

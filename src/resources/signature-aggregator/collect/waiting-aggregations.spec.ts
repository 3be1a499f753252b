import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../access/keys/caller.js';
import { Config } from '../../../platform/config/config.module.js';
import { parseEnv } from '../../../platform/config/env.schema.js';
import { Refusals } from '../../../platform/http/errors/refusals.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { WaitingAggregations } from './waiting-aggregations.js';

const caller = (owner: string): Caller => ({
  orgId: 'acme',
  apiKeyId: undefined,
  owner,
  site: undefined,
  plan: {
    plan: 'small',
    unitsPerMinute: 1,
    unitsPerDay: 1,
    runningExports: 1,
    storedExports: 1,
    storedBytes: 1,
    nodeCallsPerDay: 1,
    waitingAggregations: 2,
  },
});

describe(WaitingAggregations.name, () => {
  it('lets a bounded number of requests of one caller wait at a time, however they end', async () => {
    const waiting = new WaitingAggregations(
      new Refusals(new Metrics()),
      new Config(parseEnv({ DATABASE_URL: 'postgres://unused' })),
    );
    const ends: { succeed: () => void; fail: () => void }[] = [];
    const wait = (owner: string) =>
      waiting.during(
        caller(owner),
        () =>
          new Promise<void>((resolve, reject) => {
            ends.push({ succeed: resolve, fail: () => reject(new Error('no signatures')) });
          }),
      );
    const first = wait('ours');
    const second = wait('ours');
    await expect(wait('ours')).rejects.toMatchObject({ statusCode: 429 });
    const theirs = wait('theirs');
    ends[0]?.succeed();
    ends[1]?.fail();
    ends[2]?.succeed();
    await first;
    await theirs;
    await expect(second).rejects.toThrow('no signatures');
    const again = [wait('ours'), wait('ours')];
    for (const end of ends.slice(3)) end.succeed();
    await Promise.all(again);
  });
});

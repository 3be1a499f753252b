import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import type { ApiPlan } from '../../src/access/keys/api-key.entities.js';
import type { Caller } from '../../src/access/keys/caller.js';
import { ApiUsageService } from '../../src/resources/api-usage/api-usage.service.js';
import {
  type ApiUsageQuery,
  ApiUsageQuerySchema,
} from '../../src/resources/api-usage/dto/api-usage.request.js';
import type { UsageMetricResponse } from '../../src/resources/api-usage/dto/api-usage.response.js';
import { QUANTILE_ERROR } from '../../src/platform/metrics/latency-bucket.js';
import { GROUPINGS, TIME_INTERVALS } from '../../src/access/usage/usage.js';
import { UsageLog } from '../../src/access/usage/usage-log.js';
import { UsageLogRepository } from '../../src/access/usage/usage-log.repository.js';
import { UsageRollUp } from '../../src/access/usage/usage-roll-up.js';
import { UsageRollUpRepository } from '../../src/access/usage/usage-roll-up.repository.js';
import { UsageRepository } from '../../src/resources/api-usage/usage.repository.js';
import { Database } from '../../src/platform/database/database.js';
import { SpendingRepository } from '../../src/access/limits/spending.repository.js';
import { moveIndex } from '../support/http/begun-indexes.js';
import { CallersBed, withKey } from '../support/http/callers-bed.js';
import { ChangeStream } from '../support/http/change-stream.js';
import { eventually } from '../support/harness/eventually.js';
import {
  generateRequests,
  type LoggedRequest,
  loggedRequests,
  usageByHand,
} from '../support/http/generated-usage.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestDatabase } from '../support/harness/services.js';
import { ApiRequest } from '../../src/access/usage/usage.entities.js';
import { ENTITIES } from '../support/entities.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const REQUESTS = 20_000;
const DAYS = 40;
const FOR_EVER = { logDays: 10_000, usageDays: 10_000 };
const PLAN: ApiPlan = {
  plan: 'free',
  unitsPerMinute: 1,
  unitsPerDay: 1,
  runningExports: 1,
  storedExports: 1,
  storedBytes: 1,
  nodeCallsPerDay: 1,
  waitingAggregations: 1,
};

const callerOf = (orgId: string): Caller => ({
  orgId,
  apiKeyId: 'aa22054a-cb7c-4a4e-9b83-59f2ede74138',
  owner: `org:${orgId}`,
  site: undefined,
  plan: PLAN,
});
const nobody: Caller = { ...callerOf('public'), apiKeyId: undefined };

async function usageBed(timeZone?: string) {
  const { url } = await createTestDatabase();
  if (timeZone !== undefined) await setTimeZone(url, timeZone);
  const dataSource = await new DataSource(
    patientDataSource({ url, poolSize: 4, entities: ENTITIES }),
  ).initialize();
  onCleanup(() => dataSource.destroy());
  const database = new Database(dataSource);
  const service = new ApiUsageService(new UsageRepository(dataSource.getRepository(ApiRequest), database));
  const rollUp = new UsageRollUp(new UsageRollUpRepository(database), new SpendingRepository(database));
  const ask = async (query: Record<string, string>, caller: Caller) =>
    service.get(ApiUsageQuerySchema.parse(query), caller);
  return { dataSource, database, rollUp, ask };
}

/** Of later connections. */
async function setTimeZone(url: string, timeZone: string): Promise<void> {
  const dataSource = await new DataSource(patientDataSource({ url, poolSize: 1 })).initialize();
  await dataSource.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET timezone = '${timeZone}'`);
  await dataSource.destroy();
}

describe('usage metrics of a generated month', () => {
  let bed: Awaited<ReturnType<typeof usageBed>>;
  let requests: LoggedRequest[];

  beforeAll(async () => {
    bed = await usageBed();
    await generateRequests(bed.dataSource, { count: REQUESTS, days: DAYS });
    requests = await loggedRequests(bed.dataSource);
    await bed.rollUp.run({ ...FOR_EVER, signal: new AbortController().signal });
  });

  /** Of minutes a day at a time, from the last one on. */
  const askAll = async (query: Record<string, string>): Promise<UsageMetricResponse[]> => {
    const { metrics } = await bed.ask(query, callerOf('org-1'));
    const oldest = metrics.at(-1);
    if (query['timeInterval'] !== 'minute' || oldest === undefined) return metrics;
    return [...metrics, ...(await askAll({ ...query, endTimestamp: String(oldest.timestamp) }))];
  };

  const compare = async (query: Record<string, string>): Promise<void> => {
    const from = Math.floor(Date.now() / 1000) - (DAYS + 1) * 86_400;
    const asked = { ...query, startTimestamp: String(from) };
    const parsed: ApiUsageQuery = ApiUsageQuerySchema.parse(asked);
    const answered = await askAll(asked);
    const wanted = usageByHand(requests, 'org-1', parsed);
    expect(answered.length).toBeGreaterThan(0);
    expect(withoutMedians(answered)).toEqual(withoutMedians(wanted));
    for (const [at, { values }] of answered.entries()) {
      for (const [which, { medianResponseTimeMsecs: told }] of values.entries()) {
        const median = wanted[at]?.values[which]?.medianResponseTimeMsecs ?? NaN;
        expect(Math.abs(told - median) / median).toBeLessThanOrEqual(QUANTILE_ERROR + 1e-3);
      }
    }
  };

  it('are rolled up except for the last two hours', async () => {
    const [row]: { hours: string; days: string }[] = await bed.dataSource.query(
      `SELECT count(DISTINCT start_at) FILTER (WHERE span = 'hour') AS hours,
        count(DISTINCT start_at) FILTER (WHERE span = 'day') AS days FROM api_usage`,
    );
    expect(Number(row?.days)).toBeGreaterThanOrEqual(DAYS - 1);
    expect(Number(row?.hours)).toBeGreaterThan(DAYS * 20);
  });

  it.each(TIME_INTERVALS)('equal what counting by hand gives by the interval %s', (timeInterval) =>
    compare({ timeInterval }),
  );

  it.each(GROUPINGS)('equal what counting by hand gives grouped by %s', async (groupBy) => {
    await compare({ timeInterval: 'daily', groupBy });
    await compare({ timeInterval: 'hourly', groupBy });
    await compare({ timeInterval: 'weekly', groupBy });
  });

  it.each([
    [{ chainId: '43114' }],
    [{ responseCode: '404' }],
    [{ requestPath: '/v1/path/3', responseCode: '200' }],
    [{ apiKeyId: '00000000-0000-4000-8000-000000000011', groupBy: 'requestPath' }],
    [{ chainId: 'p-chain', groupBy: 'chainId', requestType: 'data' }],
  ])('equal what counting by hand gives with %j', async (filters) => {
    for (const timeInterval of ['minute', 'hourly', 'monthly']) await compare({ ...filters, timeInterval });
  });

  it('begin weeks on Monday and days at 0:00 UTC', async () => {
    const { metrics: weeks } = await bed.ask({ timeInterval: 'weekly' }, callerOf('org-1'));
    expect(weeks.every(({ timestamp }) => new Date(timestamp * 1000).getUTCDay() === 1)).toBe(true);
    expect(weeks.every(({ timestamp }) => timestamp % 86_400 === 0)).toBe(true);
  });

  it('round both ends down to the day, and leave the last day out', async () => {
    const day = Math.floor(Date.now() / 86_400_000) * 86_400 - 10 * 86_400;
    const query = { startTimestamp: String(day + 4_000), endTimestamp: String(day + 2 * 86_400 + 77) };
    const { metrics } = await bed.ask(query, callerOf('org-1'));
    expect(metrics.map(({ timestamp }) => timestamp)).toEqual([day + 86_400, day]);
  });

  it('name the end that is wrong', async () => {
    const day = Math.floor(Date.now() / 1_000);
    const later = { startTimestamp: String(day + 2 * 86_400) };
    await expect(bed.ask(later, nobody)).rejects.toThrow('startTimestamp: must not be in the future');
    await expect(bed.ask({ ...later, endTimestamp: String(day) }, nobody)).rejects.toThrow(
      'startTimestamp: must not be after endTimestamp',
    );
  });

  it('count nothing of the type rpc, and thirty days when nothing is asked for', async () => {
    expect(await bed.ask({ requestType: 'rpc' }, callerOf('org-1'))).toEqual({
      aggregateDuration: 'daily',
      orgId: 'org-1',
      metrics: [],
    });
    const today = (): number => Math.floor(Date.now() / 86_400_000) * 86_400;
    const before = today();
    const { metrics } = await bed.ask({}, callerOf('org-1'));
    const days = metrics.map(({ timestamp }) => timestamp);
    const newest = days[0] ?? 0;
    const first = days.at(-1) ?? 0;
    expect([before, today()]).toContain(first + 30 * 86_400);
    expect(days).toEqual(days.map((_, position) => newest - position * 86_400));
    // Requests were generated until now, which may have been yesterday.
    expect(days.length).toBeGreaterThanOrEqual(30);
  });

  it("are of the caller's own organisation alone", async () => {
    expect(await bed.ask({ orgId: 'public' }, nobody)).toMatchObject({ orgId: 'public' });
    await expect(bed.ask({ orgId: 'org-1' }, nobody)).rejects.toMatchObject({ statusCode: 401 });
    await expect(bed.ask({ orgId: 'org-2' }, callerOf('org-1'))).rejects.toMatchObject({ statusCode: 403 });
    await expect(bed.ask({ orgId: 'public' }, callerOf('org-1'))).rejects.toMatchObject({ statusCode: 403 });
  });

  it('are summed up once, however often that is tried', async () => {
    const before: unknown = await bed.dataSource.query('SELECT count(*) FROM api_usage');
    const { signal } = new AbortController();
    await Promise.all([1, 2].map(() => bed.rollUp.run({ ...FOR_EVER, signal })));
    expect(await bed.dataSource.query('SELECT count(*) FROM api_usage')).toEqual(before);
  });

  it('are kept in the sums when the log is removed', async () => {
    const before = await bed.ask({ timeInterval: 'hourly' }, callerOf('org-1'));
    await bed.rollUp.run({ logDays: 2, usageDays: 10_000, signal: new AbortController().signal });
    const [row]: { days: number }[] = await bed.dataSource.query(
      'SELECT extract(epoch FROM now() - min(at))::float8 / 86400 AS days FROM api_requests',
    );
    expect(row?.days).toBeLessThanOrEqual(3.1);
    expect(await bed.ask({ timeInterval: 'hourly' }, callerOf('org-1'))).toEqual(before);
  });
});

describe(UsageLogRepository.name, () => {
  it('counts as of a later hour what comes after its own may have been summed up', async () => {
    const { database, dataSource } = await usageBed();
    const record = {
      orgId: 'acme',
      apiKeyId: undefined,
      requestPath: '/v1/chains',
      responseCode: 200,
      chainId: undefined,
      units: 1,
      durationMs: 1,
      requests: 1,
    };
    const now = Date.now();
    await new UsageLogRepository(database).insert([
      { ...record, at: now - 3_600_000 },
      { ...record, at: now - 60_000 },
      { ...record, at: now + 3_600_000 },
    ]);
    const rows: { minutes: number }[] = await dataSource.query(
      'SELECT round(extract(epoch FROM now() - at) / 60)::int AS minutes FROM api_requests ORDER BY at',
    );
    expect(rows.map(({ minutes }) => minutes)).toEqual([5, 1, 0]);
  });
});

describe(UsageLog.name, () => {
  it('keeps what has cost nothing as one row of each kind, with how many there were', async () => {
    const { database, dataSource } = await usageBed();
    const log = new UsageLog(new UsageLogRepository(database));
    const request = {
      at: Date.now(),
      orgId: 'acme',
      apiKeyId: undefined,
      requestPath: '/v1/chains',
      responseCode: 429,
      chainId: undefined,
      units: 0,
      durationMs: 1,
    };
    for (let i = 0; i < 1_000; i += 1) {
      log.add(request);
      log.add({ ...request, orgId: 'other' });
      if (i < 3) log.add({ ...request, responseCode: 200, units: 1 });
    }
    await log.beforeApplicationShutdown();
    const rows: unknown = await dataSource.query(
      'SELECT org_id, response_code AS code, requests FROM api_requests ORDER BY code, org_id',
    );
    expect(rows).toEqual([
      { org_id: 'acme', code: 200, requests: 1 },
      { org_id: 'acme', code: 200, requests: 1 },
      { org_id: 'acme', code: 200, requests: 1 },
      { org_id: 'acme', code: 429, requests: 1_000 },
      { org_id: 'other', code: 429, requests: 1_000 },
    ]);
  });
});

describe(UsageRollUpRepository.name, () => {
  it('sums up each day of UTC once where the clocks of the database change', async () => {
    const { database, dataSource, ask } = await usageBed('Europe/Berlin');
    // Within an hour of the end of a day that has 23 hours there, and of one that has 25.
    const times = ['2025-03-30 12:00', '2025-03-30 23:30', '2025-10-26 12:00', '2025-10-27 00:30'];
    await dataSource.query(
      `INSERT INTO api_requests (at, org_id, request_path, response_code, units, duration_ms)
       SELECT (time || ':00Z')::timestamptz, 'acme', '/v1/chains', 200, 1, 1 FROM unnest($1::text[]) AS time`,
      [times],
    );
    const repository = new UsageRollUpRepository(database);
    let days = 0;
    while (days < 10 && (await repository.rollUpNext('day'))) days += 1;
    expect(days).toBe(3);
    const { metrics } = await ask({ startTimestamp: '0' }, callerOf('acme'));
    expect(metrics.map(({ timestamp, values }) => [timestamp, values[0]?.totalRequests])).toEqual([
      [Date.UTC(2025, 9, 27) / 1000, 1],
      [Date.UTC(2025, 9, 26) / 1000, 1],
      [Date.UTC(2025, 2, 30) / 1000, 2],
    ]);
  });
});

describe('metering', () => {
  it('counts every request, also when the process is stopped', async () => {
    const bed = await CallersBed.start();
    const key = await bed.keyWith('counted', { unitsPerMinute: 1_000, unitsPerDay: 25 });
    await bed.get('/v1/chains', withKey(key));
    await bed.get('/v1/chains?network=nowhere', withKey(key));
    await bed.get('/v1/nothing', withKey(key));
    // The 25 units are used up.
    for (let i = 0; i < 3; i += 1) await bed.get('/v1/networks/fuji/subnets', withKey(key));
    await bed.get('/v1/live-check', withKey(key));
    await bed.keeper.create({ orgId: 'other', alias: 'x', plan: 'free' });
    await bed.get('/v1/chains', withKey('guessed'));
    await eventually('they are in the log', async () => {
      const [row]: { count: number }[] = await bed
        .first()
        .dataSource.query('SELECT sum(requests)::int AS count FROM api_requests');
      return row?.count === 7;
    });
    const public_ = await bed.get('/v1/apiUsageMetrics?groupBy=responseCode');
    expect(public_).toMatchObject({
      status: 200,
      body: {
        aggregateDuration: 'daily',
        orgId: 'public',
        metrics: [{ values: [{ groupedBy: 'responseCode', groupValue: '401', totalRequests: 1 }] }],
      },
    });
    await bed.first().stop();
    const rows: unknown = await bed.first().dataSource.query(
      `SELECT org_id, request_path AS path, response_code AS code, units, sum(requests)::int AS requests
           FROM api_requests GROUP BY 1, 2, 3, 4 ORDER BY min(at)`,
    );
    expect(rows).toEqual([
      { org_id: 'counted', path: '/v1/chains', code: 200, units: 1, requests: 1 },
      { org_id: 'counted', path: '/v1/chains', code: 400, units: 1, requests: 1 },
      { org_id: 'counted', path: 'unknown', code: 404, units: 20, requests: 1 },
      { org_id: 'counted', path: '/v1/networks/{network}/subnets', code: 429, units: 0, requests: 3 },
      { org_id: 'public', path: '/v1/chains', code: 401, units: 1, requests: 1 },
      { org_id: 'public', path: '/v1/apiUsageMetrics', code: 200, units: 200, requests: 1 },
    ]);
  });

  it('counts a stream that its caller has closed by the status that it had', async () => {
    const bed = await CallersBed.start();
    const { url, dataSource } = bed.first();
    await moveIndex(new Database(dataSource), { network: 'fuji', chain: 'P', cChainId: 1n }, 100);
    const query = { network: 'fuji', nodeIds: 'NodeID-111111111111111111116DBWJs' };
    const stream = await ChangeStream.open(url, query);
    stream.close();
    const codes = (): Promise<unknown[]> =>
      dataSource.query('SELECT response_code AS code FROM api_requests');
    await eventually('it is in the log', async () => (await codes()).length === 1);
    expect(await codes()).toEqual([{ code: 200 }]);
  });
});

function withoutMedians(metrics: readonly UsageMetricResponse[]): unknown {
  return metrics.map(({ timestamp, values }) => ({
    timestamp,
    values: values.map((value) => ({ ...value, medianResponseTimeMsecs: 0 })),
  }));
}

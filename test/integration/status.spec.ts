import { beforeAll, describe, expect, it } from '@jest/globals';
import type { StatusResponse } from '../../src/resources/status/dto/status.response.js';
import { CallersBed } from '../support/http/callers-bed.js';
import { eventually } from '../support/harness/eventually.js';
import { OperationsApi } from '../support/http/operations-api.js';

const NO_TEMPORAL = '127.0.0.1:9';
const AGGREGATE = '/v1/signatureAggregator/fuji/aggregateSignatures';
const SIGNERS = '/status/fuji/subnets/11111111111111111111111111111111LpoYY';
const TX_HASH = '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM';

/** Two API processes over one database, and one whose page is switched off; without nodes, workers and Temporal. */
describe('GET /v1/status', () => {
  let bed: CallersBed;
  let hidden: OperationsApi;

  beforeAll(async () => {
    bed = await CallersBed.start({ processes: 2 });
    hidden = await OperationsApi.start({
      temporalAddress: NO_TEMPORAL,
      databaseUrl: bed.databaseUrl,
      env: { STATUS_PAGE: 'false' },
    });
    for (const api of bed.apis) await askForSignatures(api);
  });

  /** One request that is wrong, and one that fails. */
  const askForSignatures = async ({ url }: OperationsApi): Promise<void> => {
    const wrong = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"message":"0x"}',
    };
    const answers = [await fetch(`${url}${AGGREGATE}`, wrong), await fetch(`${url}${AGGREGATE}/${TX_HASH}`)];
    expect(answers.map(({ status }) => status)).toEqual([400, 503]);
  };

  const read = async (api = bed.first()): Promise<StatusResponse> => {
    const response = await fetch(`${api.url}/v1/status`);
    expect(response.status).toBe(200);
    return (await response.json()) as StatusResponse;
  };

  const eventuallyStatus = (what: string, isIt: (status: StatusResponse) => boolean) =>
    eventually(what, async () => isIt(await read()));

  it('answers without Temporal, nodes and indexes', async () => {
    const status = await read();
    expect(status.work).toBeUndefined();
    expect(status).toMatchObject({
      status: 'error',
      parts: expect.arrayContaining([
        { name: 'database', status: 'up' },
        { name: 'temporal', status: 'down' },
      ]),
      indexes: [],
      processes: [
        { api: true, queues: [], stake: [] },
        { api: true, queues: [], stake: [] },
      ],
    });
  });

  it('makes one answer for all who ask at a time', async () => {
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 100 }, () => bed.get('/v1/status')));
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    const bodies = new Set(answers.map(({ body }) => JSON.stringify(body)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    // A new one at most once a second.
    expect(bodies.size).toBeLessThanOrEqual(1 + seconds);
  });

  it.each(['/', '/status.js', '/page.js', '/status.css', '/signers.js', SIGNERS, '/v1/status'])(
    'is not counted against limits: %s',
    async (path) => {
      const { status, headers } = await fetch(`${bed.first().url}${path}`);
      expect(status).toBe(200);
      expect(headers.has('ratelimit-limit')).toBe(false);
    },
  );

  it('is left out where it is switched off, and such a process is not shown', async () => {
    for (const path of ['/v1/status', '/status.js', '/page.js', '/status.css', '/signers.js', SIGNERS]) {
      expect(await hidden.request(path)).toMatchObject({ status: 404, body: { error: 'Not Found' } });
    }
    const root = await fetch(hidden.url, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
    expect((await read()).processes).toHaveLength(2);
  });

  it('reports the rest when a part of it cannot be read', async () => {
    const api = bed.first();
    await api.dataSource.query('ALTER TABLE service_processes RENAME TO away');
    try {
      await eventuallyStatus('unknown processes', ({ processes }) => processes === undefined);
      expect(await read()).toMatchObject({ indexes: [], aggregations: { slotSeconds: 10 } });
    } finally {
      await api.dataSource.query('ALTER TABLE away RENAME TO service_processes');
    }
    await eventuallyStatus('both processes', ({ processes }) => processes?.length === 2);
  });

  it('adds up the aggregations that all processes have answered, without those that were wrong', async () => {
    const failed = ({ aggregations }: StatusResponse): number =>
      aggregations?.slots.reduce((sum, slot) => sum + slot.failed, 0) ?? 0;
    await eventuallyStatus('all failures', (status) => failed(status) === bed.apis.length);
    expect((await read()).aggregations?.slots).toHaveLength(90);
  });

  it('records each minute, and reports the last day by quarters of an hour', async () => {
    const { dataSource } = bed.first();
    const minuteNow = async (): Promise<{ is_up: boolean; lag_seconds: number | null }[]> =>
      dataSource.query('SELECT is_up, lag_seconds FROM status_minutes');
    await eventually('the first minute', async () => (await minuteNow()).length > 0);
    // Without Temporal it cannot work, and no index has begun.
    const [minute] = await minuteNow();
    expect(minute).toEqual({ is_up: false, lag_seconds: null });
    await eventually('time left in a quarter of an hour', () => (Date.now() / 1_000) % 900 < 840);
    // Of the three slots that are over: unknown until its sixth minute and then up; down every third minute; silent for its last five.
    await dataSource.query(`
      INSERT INTO status_minutes (minute, is_up, lag_seconds)
      SELECT (extract(epoch FROM now())::bigint / 900 - slots_ago) * 900 + 60 * i, slots_ago <> 2 OR i % 3 <> 0, slots_ago * 10 + i + 0.3
        FROM generate_series(1, 3) slots_ago, generate_series(0, 14) i
       WHERE (slots_ago < 3 OR i >= 5) AND (slots_ago > 1 OR i < 10)`);
    await dataSource.query(`
      INSERT INTO aggregation_counts (slot, bucket, aggregations)
      SELECT (extract(epoch FROM now())::bigint / 900 - 2) * 900 + 10 * i, bucket, 2
        FROM generate_series(0, 4) i, unnest(ARRAY[-32768, 100, 200]) bucket`);
    await eventuallyStatus('the last day', ({ day }) => day?.slots.at(-2)?.signed === 20);
    const { day } = await read();
    expect(day).toMatchObject({ slotSeconds: 900 });
    expect(day?.slots).toHaveLength(96);
    const [third, second, last] = day?.slots.slice(-3) ?? [];
    expect(third).toEqual({ signed: 0, failed: 0, upPercentage: 100, lagSeconds: 44 });
    expect(second).toMatchObject({ signed: 20, failed: 10, lagSeconds: 34, p95Ms: expect.any(Number) });
    expect(second?.upPercentage).toBeCloseTo(66.67, 1);
    expect(last?.upPercentage).toBeCloseTo(66.67, 1);
    expect(day?.slots.slice(0, -3)).toEqual(Array.from({ length: 93 }, () => ({ signed: 0, failed: 0 })));
  });

  it('forgets a process that has ended', async () => {
    await bed.apis[1]?.stop();
    await eventuallyStatus('one process', ({ processes }) => processes?.length === 1);
  });
});

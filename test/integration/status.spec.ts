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
      entry: 'dist/src/main.js',
      env: { STATUS_PAGE: 'false' },
    });
    for (const api of bed.apis) await askForSignatures(api);
  }, 300_000);

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
    eventually(what, async () => isIt(await read()), 40_000);

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
    const answers = await Promise.all(Array.from({ length: 100 }, () => bed.get('/v1/status')));
    const bodies = new Set(answers.map(({ body }) => JSON.stringify(body)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(bodies.size).toBeLessThanOrEqual(2);
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
  }, 60_000);

  it('adds up the aggregations that all processes have answered, without those that were wrong', async () => {
    const failed = ({ aggregations }: StatusResponse): number =>
      aggregations?.slots.reduce((sum, slot) => sum + slot.failed, 0) ?? 0;
    await eventuallyStatus('all failures', (status) => failed(status) === bed.apis.length);
    expect((await read()).aggregations?.slots).toHaveLength(90);
  }, 60_000);

  it('forgets a process that has ended', async () => {
    await bed.apis[1]?.stop();
    await eventuallyStatus('one process', ({ processes }) => processes?.length === 1);
  });
});

import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { runMigrations } from '../../src/platform/database/data-source.js';
import { nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { RateLimiter } from '../../src/access/limits/rate-limiter.js';
import { SpendingRepository } from '../../src/access/limits/spending.repository.js';
import { type Answer, CallersBed, withKey } from '../support/http/callers-bed.js';
import { eventually } from '../support/harness/eventually.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestDatabase, startPostgresForTest } from '../support/harness/services.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const CLIENTS = 200;
const REVOKED_WITHIN_MS = 5_000;
const PLENTY = 1_000_000;
/** One cost unit each. */
const CHEAP = '/v1/chains';
/** Twenty. */
const DEARER = '/v1/networks/fuji/subnets';

const count = (answers: readonly Answer[], wanted: number): number =>
  answers.filter(({ status }) => status === wanted).length;

describe('rate limits', () => {
  let bed: CallersBed;

  beforeAll(async () => {
    bed = await CallersBed.start({ processes: 3, env: { TRUSTED_PROXIES: 'loopback' } });
  });

  /** Each of the clients asks at all processes, one after the other. */
  const rush = async (key: string, paths: readonly string[]): Promise<Answer[]> => {
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      const answers: Answer[] = [];
      for (const [turn, path] of paths.entries()) {
        answers.push(await bed.get(path, withKey(key), bed.apis[(client + turn) % bed.apis.length]));
      }
      return answers;
    });
    return (await Promise.all(clients)).flat();
  };

  it('hold exactly over three processes and two hundred clients', async () => {
    const key = await bed.keyWith('exact', { unitsPerMinute: PLENTY, unitsPerDay: 357 });
    const answers = await rush(key, [CHEAP, CHEAP, CHEAP]);
    // Requests that were admitted and then found no connection to the database have been paid for, too.
    expect(count(answers, 429)).toBe(3 * CLIENTS - 357);
    expect(count(answers, 200) + count(answers, 503)).toBe(357);
  });

  it('hold where requests cost differently', async () => {
    const key = await bed.keyWith('mixed', { unitsPerMinute: PLENTY, unitsPerDay: 2_010 });
    const answers = await rush(key, [DEARER, CHEAP, DEARER, CHEAP]);
    const [cheap, dearer] = [0, 1].map((odd) =>
      count(
        answers.filter((_, turn) => turn % 2 === 1 - odd),
        200,
      ),
    );
    const spent = (cheap ?? 0) + 20 * (dearer ?? 0);
    expect(spent).toBeLessThanOrEqual(2_010);
    // The rest pays for nothing expensive any more, and cheap ones were asked for to the end.
    expect(spent).toBeGreaterThan(2_010 - 20);
  });

  it('are reported with every answer, and with a refusal', async () => {
    const key = await bed.keyWith('told', { unitsPerMinute: PLENTY, unitsPerDay: 21 });
    const granted = await bed.get(DEARER, withKey(key));
    expect(Object.fromEntries(granted.headers)).toMatchObject({
      'ratelimit-policy': '1000000;w=60, 21;w=86400',
      'ratelimit-limit': '21',
      'ratelimit-remaining': '1',
    });
    expect(granted.headers.get('retry-after')).toBeNull();

    const refused = await bed.get(DEARER, withKey(key));
    expect(refused).toMatchObject({ status: 429, body: { statusCode: 429, error: 'Too Many Requests' } });
    const headers = Object.fromEntries(refused.headers);
    expect(headers).toMatchObject({ 'ratelimit-limit': '21', 'ratelimit-remaining': '1' });
    expect(headers['ratelimit-reset']).toBe(headers['retry-after']);
    const seconds = Number(headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(86_401);
    expect(await bed.get(CHEAP, withKey(key))).toMatchObject({ status: 200 });
  });

  it('begin anew with the next minute', async () => {
    const key = await bed.keyWith('renewed', { unitsPerMinute: 1, unitsPerDay: PLENTY });
    await eventually(
      'the minute is used up',
      async () => (await bed.get(CHEAP, withKey(key))).status === 429,
    );
    await bed
      .first()
      .dataSource.query("UPDATE rate_limit_windows SET minute = minute - 1 WHERE subject LIKE 'org:%'");
    // A process that has not refused it has to ask.
    expect(await bed.get(CHEAP, withKey(key), bed.apis[1])).toMatchObject({ status: 200 });
  });

  it('count by address without a key, behind a trusted proxy by the one that it names', async () => {
    const remaining = async (address: string): Promise<number> => {
      const { headers } = await bed.get(CHEAP, { 'x-forwarded-for': address });
      return Number(headers.get('ratelimit-remaining'));
    };
    const first = await remaining('198.51.100.1');
    expect(await remaining('198.51.100.2')).toBeGreaterThanOrEqual(first);
    const subjects: unknown = await bed
      .first()
      .dataSource.query(
        "SELECT subject FROM rate_limit_windows WHERE subject LIKE 'address:198%' ORDER BY subject",
      );
    expect(subjects).toEqual([{ subject: 'address:198.51.100.1' }, { subject: 'address:198.51.100.2' }]);
  });

  const spent = async (subject: string): Promise<unknown> => {
    const [row]: { day_units: string }[] = await bed
      .first()
      .dataSource.query('SELECT day_units FROM rate_limit_windows WHERE subject = $1', [subject]);
    return row?.day_units;
  };

  it('count nobody anew who comes from another port, and as one who have no address', async () => {
    for (const port of [1_001, 1_002, 1_003]) {
      await bed.get(CHEAP, { 'x-forwarded-for': `198.18.0.7:${port}` });
    }
    expect(await spent('address:198.18.0.7')).toBe('3');
    for (const name of ['one', 'two', 'one:1']) await bed.get(CHEAP, { 'x-forwarded-for': name });
    expect(await spent('address:unknown')).toBe('3');
  });

  it('count an IPv6 site as sixteen addresses', async () => {
    for (const network of ['1', '2', '3']) {
      await bed.get(CHEAP, { 'x-forwarded-for': `2001:db8:77:${network}::1` });
    }
    expect(await spent('address:2001:db8:77:1::/64')).toBe('1');
    expect(await spent('site:2001:db8:77::/48')).toBe('3');
    const { plans } = await bed.keeper.plans();
    const { unitsPerDay = 0 } = plans.find(({ plan }) => plan === 'public') ?? {};
    await bed
      .first()
      .dataSource.query("UPDATE rate_limit_windows SET day_units = $1 WHERE subject LIKE 'site:%'", [
        16 * unitsPerDay,
      ]);
    const refused = await bed.get(CHEAP, { 'x-forwarded-for': '2001:db8:77:4::1' });
    expect(refused).toMatchObject({ status: 429 });
    expect(await bed.get(CHEAP, { 'x-forwarded-for': '2001:db8:78:4::1' })).toMatchObject({ status: 200 });
  });

  it('are those of an organisation, whichever of its keys is used', async () => {
    await bed.keeper.savePlan({ plan: 'shared' }, { unitsPerMinute: PLENTY, unitsPerDay: 200 });
    const keys = await Promise.all(
      ['first', 'second'].map((alias) => bed.keeper.create({ orgId: 'siblings', alias, plan: 'shared' })),
    );
    const [first = '', second = ''] = keys.map(({ key }) => key);
    for (let turn = 0; turn < 5; turn++) await bed.get(DEARER, withKey(first));
    expect((await bed.get(DEARER, withKey(second))).headers.get('ratelimit-remaining')).toBe('80');
  });

  it('are those of a raised plan at once, also for who was refused', async () => {
    const key = await bed.keyWith('raised', { unitsPerMinute: PLENTY, unitsPerDay: 200 });
    await eventually('the day is used up', async () => (await bed.get(DEARER, withKey(key))).status === 429);
    await bed.keeper.savePlan({ plan: 'raised' }, { unitsPerDay: PLENTY });
    await eventually('he is let in', async () => (await bed.get(DEARER, withKey(key))).status === 200);
  });

  it.each(['authorization', 'x-api-key'])(
    'name a key that is in %s, where it does not count',
    async (name) => {
      const key = await bed.keyWith(`misplaced-${name}`, { unitsPerMinute: PLENTY, unitsPerDay: PLENTY });
      const value = name === 'authorization' ? `Bearer ${key}` : key;
      expect(await bed.get(CHEAP, { [name]: value })).toMatchObject({
        status: 401,
        body: { message: `${name}: keys belong into the header x-data-api-key` },
      });
      expect((await bed.get(CHEAP, { [name]: 'something else' })).status).toBe(200);
    },
  );

  it('charge a large answer as several', async () => {
    const { headers } = await bed.get('/openapi.json', { 'x-forwarded-for': '198.18.0.8' });
    const cost = Number(headers.get('x-cost'));
    expect(cost).toBeGreaterThan(1);
    await eventually('it is charged', async () => (await spent('address:198.18.0.8')) === String(cost));
    await bed.get('/openapi.json', { 'x-forwarded-for': '2001:db8:79:1::1' });
    const site = 'site:2001:db8:79::/48';
    await eventually('its site is charged', async () => (await spent(site)) === String(cost));
  });

  it('charge paid rewards for each node that they are asked of', async () => {
    const node = (last: number) => nodeIdToString(new Uint8Array(20).fill(last));
    const path = '/v1/networks/fuji/rewards';
    const costOf = async (query: string) => (await bed.get(`${path}?${query}`)).headers.get('x-cost');
    expect(await costOf(`nodeIds=${node(1)},${node(2)}`)).toBe('200');
    expect(await costOf('addresses=fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t')).toBe('20');
  });

  it('are shown to who asks for his own', async () => {
    const key = await bed.keyWith('shown', { unitsPerMinute: PLENTY, unitsPerDay: 300 });
    await bed.get(DEARER, withKey(key));
    const { headers, body } = await bed.get('/v1/me', withKey(key));
    expect(body).toMatchObject({
      orgId: 'shown',
      plan: 'shown',
      limits: { unitsPerMinute: PLENTY, unitsPerDay: 300, waitingAggregations: expect.any(Number) },
      remaining: { unitsPerMinute: expect.any(Number), storedExports: expect.any(Number) },
      prices: { '/v1/me': 1, '/v1/networks/{network}/subnets': 20, '/v1/live-check': 0 },
    });
    // A process may have leased a hundredth.
    expect(JSON.stringify(body)).toMatch(/"unitsPerDay":27[789]\b/);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('vary')).toContain('x-data-api-key');
    expect(await bed.get('/v1/me')).toMatchObject({ body: { orgId: 'public', plan: 'public' } });
  });

  it('explain with a 401 how keys are given', async () => {
    const { headers } = await bed.get(CHEAP, withKey('nds_no'));
    expect(headers.get('www-authenticate')).toBe('ApiKey header="x-data-api-key"');
  });

  it('count all addresses of an IPv6 network as one', async () => {
    await bed.get(CHEAP, { 'x-forwarded-for': '2001:db8:1:2::3' });
    await bed.get(CHEAP, { 'x-forwarded-for': '2001:db8:1:2:ffff::4' });
    const [row]: unknown[] = await bed
      .first()
      .dataSource.query(
        "SELECT day_units FROM rate_limit_windows WHERE subject = 'address:2001:db8:1:2::/64'",
      );
    expect(row).toEqual({ day_units: '2' });
  });

  it('leave out requests for the health', async () => {
    const { headers, status } = await bed.get('/v1/live-check');
    expect([status, headers.get('ratelimit-limit')]).toEqual([200, null]);
  });

  it('end for a revoked key within five seconds at every process', async () => {
    const { key, apiKeyId } = await bed.keeper.create({ orgId: 'acme', alias: 'lost', plan: 'free' });
    const statuses = () =>
      Promise.all(bed.apis.map(async (api) => (await bed.get(CHEAP, withKey(key), api)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    await bed.keeper.revoke({ apiKeyId });
    const revokedAt = performance.now();
    await eventually('all refuse', async () => {
      const isTimeOver = performance.now() - revokedAt > REVOKED_WITHIN_MS;
      const haveAllRefused = (await statuses()).every((status) => status === 401);
      expect(haveAllRefused || !isTimeOver).toBe(true);
      return haveAllRefused;
    });
  });

  it('cannot be administered at the port of callers', async () => {
    expect(await bed.get('/v1/keys')).toMatchObject({ status: 404 });
    expect(await bed.get('/v1/plans')).toMatchObject({ status: 404 });
  });

  it('make whoever guesses keys pay like a caller without one', async () => {
    const { status, headers } = await bed.get(CHEAP, withKey('guess'));
    expect([status, headers.get('ratelimit-limit')]).toEqual([401, '60000']);
  });
});

describe('rate limits that are switched off', () => {
  it('are neither counted nor reported', async () => {
    const bed = await CallersBed.start({ env: { RATE_LIMITS: 'false' } });
    const { status, headers } = await bed.get(CHEAP);
    expect([status, headers.get('ratelimit-limit')]).toEqual([200, null]);
  });
});

describe(RateLimiter.name, () => {
  const limits = { perMinute: PLENTY, perDay: 3 };

  async function bedOver(url: string) {
    const dataSource = await new DataSource(patientDataSource({ url, poolSize: 2 })).initialize();
    onCleanup(() => dataSource.destroy());
    await runMigrations(dataSource);
    const database = new Database(dataSource);
    const spending = new SpendingRepository(database);
    return { database, spending, limiter: new RateLimiter(spending) };
  }

  const limiterOver = async (url: string): Promise<RateLimiter> => (await bedOver(url)).limiter;

  it('refuses what costs more than what is left, and grants what does not', async () => {
    const limiter = await limiterOver((await createTestDatabase()).url);
    const spend = async (cost: number) => (await limiter.spend('someone', cost, limits)).isGranted;
    expect([await spend(2), await spend(2), await spend(1), await spend(1)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('reports each of several requests at once what is left behind it', async () => {
    const limiter = await limiterOver((await createTestDatabase()).url);
    const verdicts = await Promise.all(
      [1, 2, 3].map(() => limiter.spend('someone', 1, { perMinute: 2, perDay: 9 })),
    );
    expect(verdicts.map(({ isGranted, remaining }) => [isGranted, remaining])).toEqual([
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
  });

  it('holds each of two plans of one organisation to its own', async () => {
    const limiter = await limiterOver((await createTestDatabase()).url);
    const [less, more] = [
      { perMinute: 10, perDay: PLENTY },
      { perMinute: 1_000, perDay: PLENTY },
    ];
    await limiter.spend('org:both', 10, more);
    const verdicts = await Promise.all(
      [less, more, less, more].map((each) => limiter.spend('org:both', 1, each)),
    );
    expect(verdicts.map(({ isGranted }) => isGranted)).toEqual([false, true, false, true]);
    // So many that units are leased.
    const rush = (limits: typeof more) =>
      Promise.all(Array.from({ length: 50 }, () => limiter.spend('org:both', 1, limits)));
    for (let i = 0; i < 4; i += 1) {
      expect((await rush(more)).every(({ isGranted }) => isGranted)).toBe(true);
      expect((await rush(less)).some(({ isGranted }) => isGranted)).toBe(false);
    }
  });

  it.each([
    { limits: { perMinute: 20, perDay: 9 }, cost: 2, granted: true, limit: 9, remaining: 7 },
    { limits: { perMinute: 9, perDay: 20 }, cost: 2, granted: true, limit: 9, remaining: 7 },
    { limits: { perMinute: 20, perDay: 9 }, cost: 10, granted: false, limit: 9, remaining: 9 },
    { limits: { perMinute: 5, perDay: 9 }, cost: 10, granted: false, limit: 9, remaining: 9 },
    { limits: { perMinute: 9, perDay: 20 }, cost: 10, granted: false, limit: 9, remaining: 9 },
  ])(
    'reports the limit that is closest to being used up, or the one that refuses for longer: $limits, $cost',
    async ({ limits, cost, granted, ...shown }) => {
      const limiter = await limiterOver((await createTestDatabase()).url);
      expect(await limiter.spend('someone', cost, limits)).toMatchObject({ isGranted: granted, ...shown });
    },
  );

  it('lets two processes that take leases grant all there is and nothing more', async () => {
    const { url } = await createTestDatabase();
    const limiters = [await limiterOver(url), await limiterOver(url)];
    const client = async (turn: number): Promise<number> => {
      let granted = 0;
      for (let asked = 0; asked < 100; asked++) {
        const limiter = limiters[(turn + asked) % 2];
        const verdict = await limiter?.spend('someone', 1, { perMinute: PLENTY, perDay: 5_000 });
        granted += Number(verdict?.isGranted);
      }
      return granted;
    };
    const granted = await Promise.all(Array.from({ length: 60 }, (_, turn) => client(turn)));
    expect(granted.reduce((sum, each) => sum + each, 0)).toBe(5_000);
  });

  it('asks less than once for each request of one who sends many, and gives back what was not spent', async () => {
    const { url } = await createTestDatabase();
    const { database, spending, limiter } = await bedOver(url);
    const ask = jest.spyOn(spending, 'spend');
    const plenty = { perMinute: PLENTY, perDay: PLENTY };
    for (let spent = 1; spent <= 500; spent++) {
      const { remaining } = await limiter.spend('someone', 1, plenty);
      expect(remaining).toBe(PLENTY - spent);
    }
    expect(ask.mock.calls.length).toBeLessThan(100);
    const counted = () =>
      database.query<{ units: number }>({
        text: 'SELECT day_units::int AS units FROM rate_limit_windows',
        values: [],
      });
    await eventually('the rest is back', async () => (await counted())[0]?.units === 500);
  });

  it('holds nobody to what a clock that was ahead has counted', async () => {
    const { database, limiter } = await bedOver((await createTestDatabase()).url);
    const spend = () => limiter.spend('someone', 1, { perMinute: 1, perDay: PLENTY });
    expect(await spend()).toMatchObject({ isGranted: true });
    await database.execute({
      text: 'UPDATE rate_limit_windows SET minute = minute + 60, leased_until = extract(epoch FROM now()) + 3600',
      values: [],
    });
    expect(await spend()).toMatchObject({ isGranted: true });
  });

  it('gives back what was not spent when it ends', async () => {
    const { url } = await createTestDatabase();
    const { database, limiter } = await bedOver(url);
    for (let spent = 0; spent < 100; spent++) {
      await limiter.spend('someone', 1, { perMinute: PLENTY, perDay: PLENTY });
    }
    await limiter.beforeApplicationShutdown();
    expect(
      await database.query({ text: 'SELECT day_units::int AS units FROM rate_limit_windows', values: [] }),
    ).toEqual([{ units: 100 }]);
  });

  it('counts by itself while Postgres is away, and with it again afterwards', async () => {
    const server = await startPostgresForTest();
    const limiter = await limiterOver(server.url);
    const spend = async (subject: string) => (await limiter.spend(subject, 1, limits)).isGranted;
    expect(await spend('early')).toBe(true);
    await server.stop();
    const alone = [
      await spend('someone'),
      await spend('someone'),
      await spend('someone'),
      await spend('someone'),
    ];
    expect(alone).toEqual([true, true, true, false]);
    await server.start();
    const other = await limiterOver(server.url);
    await eventually('both count together', async () => {
      const subject = `late ${String(Date.now())}`;
      await limiter.spend(subject, 2, limits);
      return (await other.spend(subject, 2, limits)).isGranted === false;
    });
  });
});

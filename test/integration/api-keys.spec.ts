import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { makeApiKey } from '../../src/access/keys/api-key.js';
import { freePort } from '../../sandbox/local/processes/ports.js';
import { CallersBed, withKey } from '../support/http/callers-bed.js';
import { eventually } from '../support/harness/eventually.js';
import { spawnProcess } from '../support/harness/processes.js';
import { createTestFolder } from '../support/harness/services.js';

const TOKEN = 'a-token-of-operators';
const CreatedSchema = z.object({ apiKeyId: z.uuid(), key: z.string() });

const REFUSED = {
  message: 'x-data-api-key: is unknown, revoked or expired',
  statusCode: 401,
  error: 'Unauthorized',
};

describe('API keys', () => {
  let bed: CallersBed;
  let adminPort: number;

  beforeAll(async () => {
    adminPort = await freePort();
    bed = await CallersBed.start({
      env: { ADMIN_ADDRESS: String(adminPort), ADMIN_TOKEN: TOKEN, LOG_LEVEL: 'trace' },
    });
  });

  const create = (alias = 'a key') => bed.keeper.create({ orgId: 'acme', alias, plan: 'free' });

  const administer = async (method: string, path: string, body?: object, token = TOKEN) => {
    const response = await fetch(`http://127.0.0.1:${adminPort}/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        // As many programs do, also where there is no body.
        'content-type': 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    return { status: response.status, body: answer, scheme: response.headers.get('www-authenticate') };
  };

  it('are accepted when they are known', async () => {
    const { key } = await create();
    expect(await bed.get('/v1/chains', withKey(key))).toMatchObject({ status: 200 });
  });

  it.each([
    ['one that nobody was given', () => makeApiKey()],
    ['one that is none', () => 'nds_nonsense'],
    ['something else', () => "' OR true --"],
  ])('are refused with 401 for %s', async (_, key) => {
    expect(await bed.get('/v1/chains', withKey(key()))).toMatchObject({ status: 401, body: REFUSED });
  });

  it('are refused when they have expired', async () => {
    const { key } = await bed.keeper.create({
      orgId: 'acme',
      alias: 'over',
      plan: 'free',
      expiresAt: Math.floor(Date.now() / 1000) - 1,
    });
    expect(await bed.get('/v1/chains', withKey(key))).toMatchObject({ status: 401, body: REFUSED });
  });

  it('are not checked where health is reported', async () => {
    expect(await bed.get('/v1/live-check', withKey(makeApiKey()))).toMatchObject({ status: 200 });
  });

  it('are the only header that is believed about who calls', async () => {
    await bed.get('/v1/chains', { 'x-forwarded-for': '198.51.100.1' });
    const subjects: unknown = await bed
      .first()
      .dataSource.query("SELECT subject FROM rate_limit_windows WHERE subject LIKE 'address:%'");
    expect(subjects).toEqual([{ subject: 'address:127.0.0.1' }]);
  });

  it('count as left out when they are empty', async () => {
    expect(await bed.get('/v1/chains', withKey(''))).toMatchObject({ status: 200 });
  });

  it('are kept as a hash alone, and never printed', async () => {
    const { key } = await create();
    await bed.get('/v1/chains', withKey(key));
    await bed.get('/v1/nothing', withKey(key));
    await bed.get('/v1/operations/aa22054a-cb7c-4a4e-9b83-59f2ede74138', withKey(key));
    const rows: unknown = await bed.first().dataSource.query('SELECT key::text AS text FROM api_keys AS key');
    expect(JSON.stringify(rows)).toContain(key.slice(0, 10));
    expect(JSON.stringify(rows)).not.toContain(key.slice(0, 12));
    expect(bed.first().output).not.toContain(key.slice(0, 12));
  });

  describe('at the port of operators', () => {
    it('are created, shown once, listed and revoked', async () => {
      const created = await administer('POST', 'keys', { orgId: 'umbrella', alias: 'billing', plan: 'pro' });
      expect(created).toMatchObject({
        status: 201,
        body: { orgId: 'umbrella', plan: 'pro', revokedAt: null },
      });
      const { apiKeyId, key } = CreatedSchema.parse(created.body);
      expect(await bed.get('/v1/chains', withKey(key))).toMatchObject({ status: 200 });

      const listed = await administer('GET', 'keys?orgId=umbrella');
      expect(listed).toMatchObject({ status: 200, body: { keys: [{ apiKeyId, prefix: key.slice(0, 10) }] } });
      expect(JSON.stringify(listed)).not.toContain(key);

      const revoked = await administer('POST', `keys/${apiKeyId}/revoke`);
      expect(revoked).toMatchObject({ status: 201, body: { apiKeyId } });
      await eventually(
        'the key is refused',
        async () => (await bed.get('/v1/chains', withKey(key))).status === 401,
      );
    });

    it('get another plan', async () => {
      const { apiKeyId } = await create();
      expect(await administer('PUT', `keys/${apiKeyId}/plan`, { plan: 'growth' })).toMatchObject({
        status: 200,
        body: { plan: 'growth' },
      });
    });

    it('have plans that can be changed', async () => {
      expect(await administer('PUT', 'plans/gold', { unitsPerMinute: 5_000 })).toMatchObject({
        status: 200,
        body: { plan: 'gold', unitsPerMinute: 5_000, unitsPerDay: 6_000_000 },
      });
      expect(await administer('GET', 'plans')).toMatchObject({
        body: { plans: expect.arrayContaining([expect.objectContaining({ plan: 'gold' })]) },
      });
    });

    it('keep what each of several changes of a plan at once names', async () => {
      const limits = { unitsPerMinute: 5_001, unitsPerDay: 6_000_001, runningExports: 7, storedExports: 70 };
      await Promise.all(
        Object.entries(limits).map(([name, value]) => administer('PUT', 'plans/shared', { [name]: value })),
      );
      expect(await administer('PUT', 'plans/shared', {})).toMatchObject({ status: 200, body: limits });
    });

    it.each([
      ['without the token', 'GET', 'keys', undefined, 401, 'wrong'],
      ['for an organisation that is everybody', 'POST', 'keys', { orgId: 'public', alias: 'x' }, 400, TOKEN],
      ['with an unknown plan', 'POST', 'keys', { orgId: 'a', alias: 'x', plan: 'none' }, 400, TOKEN],
      ['with a field too many', 'POST', 'keys', { orgId: 'a', alias: 'x', admin: true }, 400, TOKEN],
      ['with units that no request costs', 'PUT', 'plans/gold', { unitsPerDay: 1 }, 400, TOKEN],
      [
        'for an unknown key',
        'POST',
        'keys/aa22054a-cb7c-4a4e-9b83-59f2ede74138/revoke',
        undefined,
        404,
        TOKEN,
      ],
    ])('are refused %s', async (_, method, path, body, status, token) => {
      expect(await administer(method, path, body, token)).toMatchObject({
        status,
        body: { statusCode: status },
        scheme: status === 401 ? 'Bearer' : null,
      });
    });
  });

  describe('on the command line', () => {
    const keys = (...args: string[]) => keysWith({ DATABASE_URL: bed.databaseUrl }, ...args);
    const keysWith = async (env: Record<string, string>, ...args: string[]) => {
      const command = await spawnProcess({ entry: 'dist/bundled/src/keys.js', args, env });
      const { code } = await command.exited;
      return { code, output: command.output };
    };

    it('are created, and listed without themselves', async () => {
      const created = await keys('create', '--org', 'initech', '--alias', 'reports', '--plan', 'base');
      const { key } = CreatedSchema.parse(JSON.parse(created.output));
      expect(await bed.get('/v1/chains', withKey(key))).toMatchObject({ status: 200 });
      const listed = await keys('list', '--org', 'initech');
      expect(JSON.parse(listed.output)).toMatchObject({ keys: [{ alias: 'reports', plan: 'base' }] });
      expect(listed.output).not.toContain(key);
    });

    it('take an empty variable for none', async () => {
      const { code, output } = await keysWith(
        { DATABASE_URL: '', DATA_DIR: createTestFolder('none') },
        'list',
      );
      expect(code).toBe(2);
      expect(output).toContain('no database: set DATABASE_URL');
    });

    it.each([
      [['create', '--alias', 'x'], 'orgId: must be'],
      [['revoke', 'x'], 'apiKeyId: must be a UUID'],
      [['plan', 'gold', '--limit', 'unitsPerWeek=3'], 'unknown property unitsPerWeek'],
      [['dance'], 'Usage: npm run keys'],
      [['list', '--colour'], 'Usage: npm run keys'],
    ])('end with a word of help for %j', async (args, help) => {
      const { code, output } = await keys(...args);
      expect(code).toBe(2);
      expect(output).toContain(help);
    });
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { MAX_CONNECTIONS_PER_ADDRESS } from '../../src/platform/http/adapter/connection-limits.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { CallersBed } from '../support/http/callers-bed.js';
import { INSTALLED_PROXIES, startReverseProxy } from '../support/http/reverse-proxy.js';

const PROXY = '127.0.0.1';
/** The least that a plan can grant. */
const UNITS_PER_DAY = 200;
/** One cost unit. */
const CHEAP = '/v1/chains';

describe('limits per caller, with a proxy in front', () => {
  let bed: CallersBed;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });

  beforeAll(async () => {
    bed = await CallersBed.start({ env: { TRUSTED_PROXIES: PROXY } });
    onCleanup(() => agent.destroy());
    await bed.keeper.savePlan({ plan: 'public' }, { unitsPerDay: UNITS_PER_DAY });
    await eventually('the plan counts', async () => {
      const { headers } = await bed.get(CHEAP);
      return headers.get('ratelimit-limit') === String(UNITS_PER_DAY);
    });
  });

  const ask = async (
    url: string,
    caller: string,
    { claims, path = CHEAP, own = agent }: { claims?: string; path?: string; own?: Agent } = {},
  ): Promise<number> => {
    const asked = request(`${url}${path}`, {
      localAddress: caller,
      agent: own,
      headers: claims === undefined ? {} : { 'x-forwarded-for': claims },
    }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return answer.statusCode ?? 0;
  };

  const spent = async (): Promise<Record<string, number>> => {
    const rows: { subject: string; units: string }[] = await bed
      .first()
      .dataSource.query('SELECT subject, day_units AS units FROM rate_limit_windows');
    return Object.fromEntries(rows.map(({ subject, units }) => [subject, Number(units)]));
  };

  const subjectsLike = async (part: string): Promise<string[]> =>
    Object.keys(await spent()).filter((subject) => subject.includes(part));

  it('are by the connection for who comes past it, whatever he claims', async () => {
    const { url } = bed.first();
    for (const claims of ['198.51.100.1', '127.0.0.1', '127.0.0.1, 198.51.100.2']) {
      expect(await ask(url, '127.0.0.5', { claims })).toBe(200);
    }
    expect(await spent()).toMatchObject({ 'address:127.0.0.5': 3 });
    expect(await subjectsLike('198.51.100')).toEqual([]);
  });

  for (const [index, proxy] of INSTALLED_PROXIES.entries()) {
    describe(`as ${proxy} is`, () => {
      const [greedy = '', other = ''] = [`127.0.1.${2 * index + 1}`, `127.0.1.${2 * index + 2}`];
      let url: string;
      beforeAll(async () => {
        url = await startReverseProxy(proxy, bed.first().url);
      });

      it('hold for each by himself, whatever he claims', async () => {
        const asked = Array.from({ length: UNITS_PER_DAY + 20 }, (_, i) =>
          ask(url, greedy, { claims: `198.51.100.${i}, ${other}` }),
        );
        const refused = (await Promise.all(asked)).filter((status) => status === 429);
        expect(refused).toHaveLength(20);
        expect(await ask(url, greedy, { claims: PROXY })).toBe(429);
        expect(await ask(url, other)).toBe(200);
        expect(await spent()).toMatchObject({ [`address:${greedy}`]: UNITS_PER_DAY });
        expect(await subjectsLike('198.51.100')).toEqual([]);
      });

      it('leave the connections of the proxy alone', async () => {
        const many = new Agent({ keepAlive: true });
        onCleanup(() => many.destroy());
        const asked = Array.from({ length: MAX_CONNECTIONS_PER_ADDRESS + 44 }, () =>
          ask(url, other, { own: many, path: '/v1/live-check' }),
        );
        expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
      });
    });
  }
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LookupAddress } from 'node:dns';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  PublicHttpClient,
  type PublicHttpOptions,
} from '../../src/platform/public-http/public-http-client.js';
import { MetadataServer } from '../support/evm/metadata-server.js';
import { undisturbed } from '../support/harness/undisturbed.js';

const MAX_BYTES = 100_000;
/** For what never comes; a busy machine takes longer for what does. */
const SHORT_MS = 600;
/** Nobody has it, and no list has it as private. */
const NOBODYS_ADDRESS = '4000::1';

const never = new AbortController().signal;

describe(PublicHttpClient.name, () => {
  /** Trusted by its name alone. */
  let host: MetadataServer;
  /** Listens where nobody may be sent to. */
  let forbidden: MetadataServer;

  beforeAll(async () => {
    [host, forbidden] = await Promise.all([MetadataServer.start(), MetadataServer.start()]);
  });

  afterAll(() => {
    host.stop();
    forbidden.stop();
  });

  const clientWith = (options: Partial<PublicHttpOptions> = {}): PublicHttpClient =>
    new PublicHttpClient({
      trustedHosts: [host.name],
      maxBytes: MAX_BYTES,
      connectTimeoutMs: 20_000,
      totalTimeoutMs: 60_000,
      ...options,
    });

  /** The text, or why there is none. */
  const get = async (url: string, client = clientWith()): Promise<string> => {
    try {
      return (await client.get(new URL(url), never)).toString();
    } catch (error) {
      if (error instanceof Error && 'failure' in error) return String(error.failure);
      throw error;
    }
  };

  const resolvesTo =
    (...addresses: readonly string[]) =>
    (): Promise<LookupAddress[]> =>
      Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

  it.each([
    ['as it is', 'identity', (text: string) => Buffer.from(text)],
    ['compressed', 'gzip', (text: string) => gzipSync(text)],
    ['compressed in another way', 'deflate', (text: string) => deflateSync(text)],
    ['compressed in a third way', 'br', (text: string) => brotliCompressSync(text)],
  ])('reads a body that comes %s', async (_, encoding, encode) => {
    host.serve(`/${encoding}`, encode('content'), { 'content-encoding': encoding });
    expect(await get(host.url(`/${encoding}`))).toBe('content');
  });

  it('sends no headers of ours along', async () => {
    let headers = {};
    host.handlers.set('/headers', (response, request) => {
      ({ headers } = request);
      response.end();
    });
    await get(host.url('/headers'));
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  it.each([
    [
      'speaks another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: tea\r\nconnection: upgrade\r\n\r\n',
    ],
    ['speaks no HTTP', 'SSH-2.0-x\r\n'],
    ['closes in the middle', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'],
    ['says nothing', ''],
  ])('reports that a host is unreachable which %s', async (_, printed) => {
    host.handlers.set('/odd', (response) => void response.socket?.end(printed));
    expect(await get(host.url('/odd'))).toBe('UNREACHABLE');
  });

  it('follows three redirects and no fourth', async () => {
    for (const step of [1, 2, 3, 4]) host.redirect(`/step-${step}`, `/step-${step + 1}`);
    host.serve('/step-5', 'there');
    expect(await get(host.url('/step-2'))).toBe('there');
    expect(await get(host.url('/step-1'))).toBe('UNREACHABLE');
  });

  describe('inside of our own network', () => {
    it.each([
      ['127.0.0.1'],
      ['127.1.2.3'],
      ['2130706433'],
      ['0x7f000001'],
      ['0177.0.0.1'],
      ['0.0.0.0'],
      ['10.0.0.1'],
      ['100.64.0.1'],
      ['169.254.169.254'],
      ['172.16.0.1'],
      ['192.0.0.1'],
      ['192.168.0.1'],
      ['198.18.0.1'],
      ['224.0.0.1'],
      ['255.255.255.255'],
      ['[::]'],
      ['[::1]'],
      ['[::7f00:1]'],
      ['[::ffff:127.0.0.1]'],
      ['[::ffff:a00:1]'],
      ['[64:ff9b::7f00:1]'],
      ['[64:ff9b:1::1]'],
      ['[2002:7f00:1::]'],
      ['[fc00::1]'],
      ['[fe80::1]'],
      ['[ff02::1]'],
    ])('asks nobody at the address %s', async (address) => {
      expect(await get(`http://${address}/`)).toBe('UNREACHABLE');
    });

    it.each([
      ['127.0.0.1'],
      ['10.0.0.1'],
      ['169.254.169.254'],
      ['::1'],
      ['::ffff:127.0.0.1'],
      ['::7f00:1'],
      ['fe80::1%lo'],
      ['fd00::1'],
    ])('asks nobody by a name that means %s, even beside a public address', async (address) => {
      for (const resolve of [resolvesTo(address), resolvesTo(NOBODYS_ADDRESS, address)]) {
        expect(await get('http://inside.example/', clientWith({ resolve }))).toBe('UNREACHABLE');
        expect(await get('https://inside.example/', clientWith({ resolve }))).toBe('UNREACHABLE');
      }
    });

    it('asks nobody by a name that means something else a moment after it was looked up', async () => {
      const answers = [NOBODYS_ADDRESS, '127.0.0.1'];
      let asked = 0;
      const resolve = (): Promise<LookupAddress[]> => resolvesTo(answers[Math.min(asked++, 1)] ?? '')();
      expect(await get('http://rebinding.example/', clientWith({ connectTimeoutMs: 200, resolve }))).toBe(
        'UNREACHABLE',
      );
      // Whoever would ask once more, for the connection, would be sent to the loopback.
      expect(asked).toBe(1);
    });

    it('asks nobody by a redirect', async () => {
      const to = (location: string): Promise<string> => {
        host.redirect('/redirect', location);
        return get(host.url('/redirect'), clientWith({ resolve: resolvesTo('127.0.0.1') }));
      };
      for (const location of [
        `http://127.0.0.1:${forbidden.port}/`,
        `//127.0.0.1:${forbidden.port}/`,
        `http://localhost:${forbidden.port}/`,
        `http://[::1]:${forbidden.port}/`,
        'http://127.0.0.1/',
        'https://inside.example/',
        `http://user@${host.name}/`,
        'file:///etc/passwd',
        'data:,{}',
        'http://',
      ]) {
        expect(await to(location)).toBe('UNREACHABLE');
      }
    });

    it('asks nobody at other ports than those of the web, with a user, or by another scheme', async () => {
      for (const url of [
        `http://127.0.0.1:${forbidden.port}/`,
        `http://localhost:${forbidden.port}/`,
        'http://host.example:22/',
        'https://user:password@host.example/',
        `http://user@${host.name}/`,
        'ftp://host.example/',
      ]) {
        expect(await get(url)).toBe('REFUSED_URL');
      }
    });

    it('has not reached the server that must not be asked', () => {
      expect(forbidden.asked).toEqual([]);
    });
  });

  it('does not ask through a proxy of the environment', async () => {
    const { env } = process;
    const kept = { ...env };
    Object.assign(env, { http_proxy: `http://127.0.0.1:${forbidden.port}`, NODE_USE_ENV_PROXY: '1' });
    try {
      host.serve('/direct', 'direct');
      expect(await get(host.url('/direct'))).toBe('direct');
      expect(forbidden.asked).toEqual([]);
    } finally {
      process.env = kept;
    }
  });

  describe('with bodies of any length', () => {
    it.each([
      ['of a body without end', () => host.serveEndless('/much')],
      ['of a small body that becomes a large one', () => host.serveBomb('/much')],
      ['of a body that is a little too large', () => host.serve('/much', Buffer.alloc(MAX_BYTES + 1))],
    ])('reads no more than allowed: %s', async (_, serve) => {
      serve();
      expect(await get(host.url('/much'))).toBe('TOO_LARGE');
    });

    it('reads all that is allowed', async () => {
      host.serve('/all', Buffer.alloc(MAX_BYTES, 'x'));
      expect(await get(host.url('/all'))).toHaveLength(MAX_BYTES);
    });
  });

  describe('with a limit of time', () => {
    it.each([
      ['for a host that says nothing', () => host.serveNothing('/late')],
      ['for a body that comes byte by byte', () => host.serveDrip('/late')],
      [
        'for bytes that never become anything',
        () => {
          // The name of a file within the archive goes on and on.
          const header = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0]);
          host.handlers.set('/late', (response) => {
            response.writeHead(200, { 'content-encoding': 'gzip' }).write(header);
            const timer = setInterval(() => response.write(Buffer.alloc(1_000, 'x')), 10);
            response.on('close', () => clearInterval(timer));
          });
        },
      ],
    ])('waits no longer than that: %s', async (_, serve) => {
      serve();
      expect(await get(host.url('/late'), clientWith({ totalTimeoutMs: SHORT_MS }))).toBe('TIMED_OUT');
    });

    it('waits no longer than that for a name server', async () => {
      const resolve = (): Promise<LookupAddress[]> => new Promise(() => undefined);
      expect(await get('http://slow.example/', clientWith({ connectTimeoutMs: 200, resolve }))).toBe(
        'UNREACHABLE',
      );
    });

    it('waits no longer than the caller does', async () => {
      host.serveNothing('/late');
      const caller = new AbortController();
      const getting = clientWith().get(new URL(host.url('/late')), caller.signal);
      caller.abort(new Error('gone'));
      await expect(getting).rejects.toThrow('gone');
    });
  });

  it('asks a host twice at a time, and all who waited within their own time', async () => {
    // The last ones wait for longer than one request may take.
    const [answerMs, totalTimeoutMs, count] = [150, 2_000, 32];
    await undisturbed(answerMs, async () => {
      const slow = await MetadataServer.start();
      slow.handlers.set('/slow', (response) => setTimeout(() => response.end('done'), answerMs));
      const client = clientWith({ totalTimeoutMs, maxTurnWaitMs: 120_000, trustedHosts: [slow.name] });
      try {
        const all = await Promise.all(Array.from({ length: count }, () => get(slow.url('/slow'), client)));
        expect(new Set(all)).toEqual(new Set(['done']));
        expect(slow.mostAtOnce).toBe(2);
      } finally {
        slow.stop();
      }
    });
  });

  it('leaves a host alone that has had enough, for as long as it asks', async () => {
    const client = clientWith();
    host.serve('/busy', '', { 'retry-after': '120' }, 429);
    await expect(client.get(new URL(host.url('/busy')), never)).rejects.toMatchObject({
      failure: 'THROTTLED',
      retryAfterMs: 120_000,
    });
    const asked = host.asked.length;
    await expect(client.get(new URL(host.url('/all')), never)).rejects.toMatchObject({
      failure: 'THROTTLED',
    });
    expect(host.asked).toHaveLength(asked);
  });
});

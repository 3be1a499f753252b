import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { acceptedEncoding, HttpPoster } from './http-post.js';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const MAX_BYTES = 100_000;

/** Posts to a server that answers these bytes as gzip. */
async function postTo(body: Buffer, headers: Readonly<Record<string, string>> = {}) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', ...headers });
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const poster = new HttpPoster();
  closers.push(
    () => poster.close(),
    () => (server.closeAllConnections(), server.close()),
  );
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const url = new URL(`http://127.0.0.1:${port}`);
  return poster.post({ url, body: '{}', headers: {}, timeoutMs: 25_000, maxResponseBytes: MAX_BYTES });
}

describe(HttpPoster.name, () => {
  it('unfolds an answer that came compressed', async () => {
    const text = JSON.stringify(Array.from({ length: 5_000 }, (_, index) => index));
    const { status, body } = await postTo(gzipSync(text));
    expect([status, body.toString()]).toEqual([200, text]);
  });

  it('stops at an answer that unfolds into more than it may, however small it came', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(MAX_BYTES);
    await expect(postTo(bomb)).rejects.toMatchObject({ failure: 'TOO_LARGE' });
  });

  it.each([
    ['is cut', gzipSync('x'.repeat(10_000)).subarray(0, 20)],
    ['is no gzip', Buffer.from('plain')],
  ])('fails upon a compressed answer that %s', async (_, body) => {
    await expect(postTo(body)).rejects.toMatchObject({ failure: 'CONNECTION' });
  });
});

describe(acceptedEncoding.name, () => {
  it.each([
    ['https://api.example.org/ext/bc/C/rpc', 'gzip'],
    ['http://node.example.org:9650', 'gzip'],
    ['http://34.1.2.3:9650', 'gzip'],
    ['http://[2600:1f18::1]:9650', 'gzip'],
    ['https://127.0.0.1:9650', 'gzip'],
    ['http://127.0.0.1:9650', 'identity'],
    ['http://[::1]:9650', 'identity'],
    ['http://localhost:9650', 'identity'],
    ['http://node:9650', 'identity'],
    ['http://10.0.0.7:9650', 'identity'],
    ['http://192.168.1.7:9650', 'identity'],
  ])('asks %s for answers in %s', (url, encoding) => {
    expect(acceptedEncoding(new URL(url))).toBe(encoding);
  });
});

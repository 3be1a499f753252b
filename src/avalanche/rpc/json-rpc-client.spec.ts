import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { z } from 'zod';
import { type JsonRpcCall, JsonRpcClient, type JsonRpcClientOptions } from './json-rpc-client.js';
import { RpcError } from './rpc.error.js';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(handler: Handler): Promise<string> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => handler(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientFor(urls: string | string[], options: Partial<JsonRpcClientOptions> = {}): JsonRpcClient {
  const client = new JsonRpcClient({ urls: [urls].flat(), timeoutMs: 25_000, ...options });
  closers.push(() => client.close());
  return client;
}

const HEIGHT: JsonRpcCall<{ height: string }> = {
  path: '/ext/bc/P',
  method: 'platform.getHeight',
  params: {},
  schema: z.object({ height: z.string() }),
};

const answer = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const answerHeight: Handler = (_, response, body) => {
  const { id } = JSON.parse(body) as { id: number };
  answer(response, { jsonrpc: '2.0', id, result: { height: '7' } });
};

async function failure(client: JsonRpcClient, call: JsonRpcCall<unknown> = HEIGHT): Promise<RpcError> {
  const error: unknown = await client.call(call).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RpcError);
  return error as RpcError;
}

describe(JsonRpcClient.name, () => {
  it('posts one JSON-RPC object and returns the parsed result', async () => {
    const seen: { request: IncomingMessage; body: string }[] = [];
    const url = await listen((request, response, body) => {
      seen.push({ request, body });
      answerHeight(request, response, body);
    });
    await expect(clientFor(url).call({ ...HEIGHT, params: { a: 1 } })).resolves.toEqual({ height: '7' });
    expect(seen[0]?.request.method).toBe('POST');
    expect(seen[0]?.request.url).toBe('/ext/bc/P');
    expect(seen[0]?.request.headers['content-type']).toBe('application/json');
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'platform.getHeight',
      params: { a: 1 },
    });
  });

  it('keeps the path, query and credentials of the base URL and adds headers', async () => {
    const seen: IncomingMessage[] = [];
    const url = await listen((request, response, body) => {
      seen.push(request);
      answerHeight(request, response, body);
    });
    const base = `${url.replace('http://', 'http://user:p%40ss@')}/v1/?apikey=secret-key&x=1#part`;
    await clientFor(base, { headers: { 'x-token': 'abc' } }).call(HEIGHT);
    expect(seen[0]?.url).toBe('/v1/ext/bc/P?apikey=secret-key&x=1');
    expect(seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    expect(seen[0]?.headers['x-token']).toBe('abc');
  });

  it('reuses one connection for calls in a row', async () => {
    const ports = new Set<number | undefined>();
    const url = await listen((request, response, body) => {
      ports.add(request.socket.remotePort);
      answerHeight(request, response, body);
    });
    const client = clientFor(url);
    for (let i = 0; i < 5; i++) await client.call(HEIGHT);
    expect(ports.size).toBe(1);
  });

  it('asks once more when the server closed the idle connection it reused', async () => {
    const sockets: Socket[] = [];
    let requests = 0;
    const server = createTcpServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => {
        requests += 1;
        if (requests === 2) return socket.resetAndDestroy();
        const body = JSON.stringify({ jsonrpc: '2.0', id: requests === 1 ? 1 : 2, result: { height: '1' } });
        return socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => (sockets.forEach((socket) => socket.destroy()), server.close()));
    const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await client.call(HEIGHT);
    await expect(client.call(HEIGHT)).resolves.toEqual({ height: '1' });
    expect(sockets).toHaveLength(2);
  });

  it.each<{
    id: string;
    handler: Handler;
    code: string;
    reason: RegExp;
    options?: Partial<JsonRpcClientOptions>;
  }>([
    {
      id: 'garbage',
      handler: (_, r) => r.end('\x00\xff{{{'),
      code: 'NODE_BAD_RESPONSE',
      reason: /^not JSON$/,
    },
    {
      id: 'an HTML page with status 200',
      handler: (_, r) => r.end('<html>please log in</html>'),
      code: 'NODE_BAD_RESPONSE',
      reason: /^not JSON$/,
    },
    { id: 'an empty body', handler: (_, r) => r.end(), code: 'NODE_BAD_RESPONSE', reason: /^not JSON$/ },
    { id: 'null', handler: (_, r) => answer(r, null), code: 'NODE_BAD_RESPONSE', reason: /not a JSON-RPC/ },
    { id: 'an array', handler: (_, r) => answer(r, []), code: 'NODE_BAD_RESPONSE', reason: /not a JSON-RPC/ },
    {
      id: 'no result',
      handler: (_, r) => answer(r, { jsonrpc: '2.0', id: 1 }),
      code: 'NODE_BAD_RESPONSE',
      reason: /without a result/,
    },
    {
      id: "another request's id",
      handler: (_, r) => answer(r, { jsonrpc: '2.0', id: 99, result: { height: '1' } }),
      code: 'NODE_BAD_RESPONSE',
      reason: /another request/,
    },
    {
      id: 'a result of a wrong type',
      handler: (_, r) => answer(r, { jsonrpc: '2.0', id: 1, result: { height: 7 } }),
      code: 'NODE_BAD_RESPONSE',
      reason: /unexpected result: height: /,
    },
    {
      id: 'an error of a wrong type',
      handler: (_, r) => answer(r, { jsonrpc: '2.0', id: 1, error: 'no' }),
      code: 'NODE_BAD_RESPONSE',
      reason: /not a JSON-RPC/,
    },
    {
      id: 'HTTP 429',
      handler: (_, r) => r.writeHead(429).end(),
      code: 'NODE_UNREACHABLE',
      reason: /HTTP 429/,
    },
    {
      id: 'HTTP 500',
      handler: (_, r) => r.writeHead(500).end('x'),
      code: 'NODE_UNREACHABLE',
      reason: /HTTP 500/,
    },
    {
      id: 'HTTP 404',
      handler: (_, r) => r.writeHead(404).end(),
      code: 'NODE_BAD_RESPONSE',
      reason: /HTTP 404/,
    },
    {
      id: 'a redirect, which is not followed',
      handler: (_, r) => r.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end(),
      code: 'NODE_BAD_RESPONSE',
      reason: /HTTP 302, redirects are not followed/,
    },
    {
      id: 'a body of more bytes than allowed',
      handler: (_, r) => r.end(Buffer.alloc(2_000, ' ')),
      code: 'NODE_BAD_RESPONSE',
      reason: /more than 1000 bytes/,
      options: { maxResponseBytes: 1_000 },
    },
    {
      id: 'an endless body without a length',
      handler: (_, r) => {
        const timer = setInterval(() => r.write(Buffer.alloc(300, ' ')), 1);
        r.on('close', () => clearInterval(timer));
      },
      code: 'NODE_BAD_RESPONSE',
      reason: /more than 1000 bytes/,
      options: { maxResponseBytes: 1_000 },
    },
    {
      id: 'a slow drip',
      handler: (_, r) => {
        const timer = setInterval(() => r.write(' '), 5);
        r.on('close', () => clearInterval(timer));
      },
      code: 'NODE_TIMED_OUT',
      reason: /within 80 ms/,
      options: { timeoutMs: 80 },
    },
    {
      id: 'silence',
      handler: () => undefined,
      code: 'NODE_TIMED_OUT',
      reason: /within 80 ms/,
      options: { timeoutMs: 80 },
    },
    {
      id: 'a connection reset before the answer',
      handler: (request) => request.socket.resetAndDestroy(),
      code: 'NODE_UNREACHABLE',
      reason: /ECONNRESET/,
    },
    {
      id: 'a connection closed in the middle of the answer',
      handler: (request, r) => {
        r.writeHead(200, { 'content-length': '100' });
        r.write('{"json');
        setImmediate(() => request.socket.destroy());
      },
      code: 'NODE_UNREACHABLE',
      reason: /connection failed/,
    },
  ])('fails with a code on $id', async ({ handler, code, reason, options }) => {
    const error = await failure(clientFor(await listen(handler), options));
    expect(error.code).toBe(code);
    expect(error.reason).toMatch(reason);
  });

  it('reports a port on which nobody listens', async () => {
    const error = await failure(clientFor('http://127.0.0.1:1'));
    expect(error.code).toBe('NODE_UNREACHABLE');
    expect(error.message).toBe('platform.getHeight: connection failed (ECONNREFUSED)');
    expect(String(error)).toBe(
      'RpcError: platform.getHeight at 127.0.0.1:1: connection failed (ECONNREFUSED)',
    );
  });

  it("passes on the node's own refusal, bounded and without control characters", async () => {
    const text = `no\r\n\u001b[31mway ${'x'.repeat(10_000)}`;
    const url = await listen((_, r) =>
      answer(r, { jsonrpc: '2.0', id: 1, error: { code: -32000, message: text } }),
    );
    const error = await failure(clientFor(url));
    expect(error.code).toBe('NODE_REJECTED');
    expect(error.rpcCode).toBe(-32000);
    expect(error.rpcMessage).toMatch(/^no \[31mway x+…$/);
    expect(error.message.length).toBeLessThan(700);
  });

  it('never shows a secret of the URL, not even when the server repeats it', async () => {
    const url = await listen((request, r) =>
      answer(r, { jsonrpc: '2.0', id: 1, error: { code: -1, message: `bad key in ${request.url}` } }),
    );
    const error = await failure(clientFor(`${url}/token-in-path?apikey=0123456789abcdef`));
    expect(JSON.stringify([error.message, error.facts, String(error.stack)])).not.toMatch(
      /0123456789abcdef|token-in/,
    );
    const unreachable = await failure(
      clientFor('http://user:password1@127.0.0.1:1/?apikey=0123456789abcdef'),
    );
    expect(`${unreachable.stack}${String(unreachable.cause)}`).not.toMatch(/0123456789abcdef|password1/);
    expect(() => clientFor('ftp://user:password1@host')).toThrow('RPC URL number 1 is not an http(s) URL');
  });

  it('goes on to the next URL on every failure but a refusal, and starts with it the next time', async () => {
    const asked: string[] = [];
    const track =
      (name: string, handler: Handler): Handler =>
      (...args) => {
        asked.push(name);
        handler(...args);
      };
    const busy = await listen(track('busy', (_, r) => r.writeHead(503).end()));
    const html = await listen(track('html', (_, r) => r.end('<html>')));
    const good = await listen(track('good', answerHeight));
    const client = clientFor(['http://127.0.0.1:1', busy, html, good]);
    await expect(client.call(HEIGHT)).resolves.toEqual({ height: '7' });
    expect(asked).toEqual(['busy', 'html', 'good']);
    await client.call(HEIGHT);
    expect(asked).toEqual(['busy', 'html', 'good', 'good']);
  });

  it('takes a JSON-RPC error for an answer and asks nobody else', async () => {
    let asked = false;
    const refusing = await listen((_, r) =>
      answer(r, { id: 1, error: { code: -32000, message: 'not found' } }),
    );
    const other = await listen((...args) => ((asked = true), answerHeight(...args)));
    expect((await failure(clientFor([refusing, other]))).code).toBe('NODE_REJECTED');
    expect(asked).toBe(false);
  });

  it.each([
    { id: 'seconds', header: () => '120', atLeastMs: 120_000, atMostMs: 120_000 },
    {
      id: 'a date',
      header: () => new Date(Date.now() + 60_000).toUTCString(),
      atLeastMs: 50_000,
      atMostMs: 60_000,
    },
    { id: 'a date in the past', header: () => new Date(0).toUTCString(), atLeastMs: 0, atMostMs: 0 },
  ])('reports how long the server wants to be left alone, given as $id', async (given) => {
    const url = await listen((_, r) => r.writeHead(429, { 'retry-after': given.header() }).end());
    const { retryAfterMs } = (await failure(clientFor(url))).facts;
    expect(retryAfterMs).toBeGreaterThanOrEqual(given.atLeastMs);
    expect(retryAfterMs).toBeLessThanOrEqual(given.atMostMs);
  });

  it('ignores a retry-after that is neither seconds nor a date', async () => {
    const url = await listen((_, r) => r.writeHead(503, { 'retry-after': 'later' }).end());
    expect((await failure(clientFor(url))).facts.retryAfterMs).toBeUndefined();
  });

  it('asks each node by itself where nodes may differ', async () => {
    const busy = await listen((_, r) => r.writeHead(503).end());
    const good = await listen(answerHeight);
    const [first, second] = clientFor([busy, good]).perNode();
    await expect(first?.call(HEIGHT)).rejects.toThrow('HTTP 503');
    await expect(second?.call(HEIGHT)).resolves.toEqual({ height: '7' });
  });

  it('reports what each node did when none of them answered', async () => {
    const busy = await listen((_, r) => r.writeHead(503).end());
    const error = await failure(clientFor([busy, 'http://127.0.0.1:1']));
    expect(error.code).toBe('NODE_UNREACHABLE');
    expect(error.message).toBe('platform.getHeight: connection failed (ECONNREFUSED)');
    expect(String(error)).toMatch(
      /at 127\.0\.0\.1:1: connection failed .* \(before: 127\.0\.0\.1:\d+: HTTP 503\)/,
    );
  });

  it('stops at once, with its reason, when the caller gives up', async () => {
    const url = await listen(() => undefined);
    const controller = new AbortController();
    const call = clientFor([url, url]).call({ ...HEIGHT, signal: controller.signal });
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(call).rejects.toThrow('enough');
    await expect(clientFor(url).call({ ...HEIGHT, signal: controller.signal })).rejects.toThrow('enough');
  });
});

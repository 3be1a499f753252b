import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Delete, Get, Header, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { createAdapter, registerHttpHooks } from '../../src/app.setup.js';
import { ApiError } from '../../src/platform/http/errors/api-error.js';
import { AsItIs } from '../../src/platform/http/adapter/as-it-is.decorator.js';
import { NoQuery } from '../../src/platform/http/schemas/no-query.decorator.js';
import { BodyPipe } from '../../src/platform/http/pipes/body.pipe.js';
import { eventually } from '../support/harness/eventually.js';

const ThingSchema = z.strictObject({
  name: z.string(),
  size: z.number().optional(),
  inner: z.strictObject({ kind: z.string().optional() }).optional(),
});

@Controller('things')
class ThingsController {
  @Get()
  list(): { items: string[] } {
    return { items: Array.from({ length: 500 }, (_, index) => `thing ${index}`) };
  }

  @Get('file')
  @AsItIs()
  @Header('content-type', 'text/csv')
  file(): string {
    return 'a,b\n'.repeat(1_000);
  }

  @Get('named/:name')
  @NoQuery()
  named(): object {
    return {};
  }

  @Delete('named/:name')
  @HttpCode(204)
  remove(): void {
    return undefined;
  }

  @Get('away')
  away(): never {
    throw new ApiError(503, 'not now');
  }

  @Post('make::now')
  @HttpCode(201)
  @NoQuery()
  make(@Body(new BodyPipe(ThingSchema)) thing: z.output<typeof ThingSchema>): object {
    return thing;
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

describe('manners of the HTTP server', () => {
  let app: NestFastifyApplication;
  let url: string;
  const logged: { level: 'debug' | 'warn' | 'error'; text: string }[] = [];

  const noteAs =
    (level: (typeof logged)[number]['level']) =>
    (...what: unknown[]): void => {
      logged.push({ level, text: JSON.stringify(what) });
    };
  const logger = {
    log: () => undefined,
    debug: noteAs('debug'),
    warn: noteAs('warn'),
    error: noteAs('error'),
  };

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(ThingsModule, createAdapter(), { logger });
    await registerHttpHooks(app);
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });

  afterAll(() => app.close());

  const make = (body: string, { query = '', ...headers }: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/things/make:now${query}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });

  const refusal = async (answer: Response): Promise<unknown> => [
    answer.status,
    answer.headers.get('content-type'),
    await answer.json(),
  ];

  const refused = (message: string): unknown => [
    400,
    'application/json; charset=utf-8',
    { message, statusCode: 400, error: 'Bad Request' },
  ];

  /** Answers to a client that does not speak proper HTTP. */
  const raw = async (request: string, at = url): Promise<string> => {
    const { hostname, port } = new URL(at);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    await once(socket, 'connect');
    socket.write(request);
    await once(socket, 'close');
    return received;
  };

  it.each([
    ['PUT', '/things', 'GET, HEAD'],
    ['DELETE', '/things/file?with=query', 'GET, HEAD'],
    ['POST', '/things/', 'GET, HEAD'],
    ['GET', '/things/make:now', 'POST'],
  ])('names the methods that are possible instead of %s %s', async (method, path, allowed) => {
    // Whatever it declares of a body that is not there.
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method, headers });
    expect(answer.headers.get('allow')).toBe(allowed);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        message: `${method} is not possible here, only ${allowed}`,
        statusCode: 404,
        error: 'Not Found',
      },
    ]);
  });

  it('names no methods where there are none', async () => {
    const path = `/thing/${'x'.repeat(500)}`;
    const answer = await fetch(`${url}${path}`, {
      method: 'PUT',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([404, null]);
    expect(await answer.json()).toMatchObject({ message: `Cannot PUT ${path.slice(0, 200)}` });
  });

  it.each([
    ['a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['JSON that is called a form', '{"name":"x"}', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text', '{"name":"x"}', { 'content-type': 'text/plain' }],
    ['JSON of another name', '{"name":"x"}', { 'content-type': 'text/json' }],
  ])('refuses %s, and names what it reads', async (_name, body, headers) => {
    expect(await refusal(await make(body, headers))).toEqual(
      refused('content-type: must be application/json'),
    );
  });

  it('refuses a compressed body, and reports it', async () => {
    const answer = await make('{"name":"x"}', { 'content-encoding': 'gzip' });
    expect(await refusal(answer)).toEqual(
      refused('content-encoding: must be left out; bodies are read as they are'),
    );
  });

  it.each(['{"name":', '{"__proto__":{"name":"x"}}'])('refuses %j as a body', async (body) => {
    expect(await refusal(await make(body))).toEqual([
      400,
      'application/json; charset=utf-8',
      expect.objectContaining({ message: expect.stringContaining('body') }),
    ]);
  });

  it('takes an empty body for none, whatever type it is declared to have', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${url}/things/named/x`, { method: 'DELETE', headers })).status).toBe(204);
  });

  it('takes null for what is left out, at any depth, but not for the whole body', async () => {
    const answer = await make('{"name":"x","size":null,"inner":{"kind":null}}');
    expect([answer.status, await answer.json()]).toEqual([201, { name: 'x', inner: {} }]);
    expect((await make('null')).status).toBe(400);
  });

  it('names the first few of many unknown properties, and each problem once', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `unknown${index}`);
    const body = JSON.stringify({ name: 'x', ...Object.fromEntries(names.map((name) => [name, 1])) });
    expect(await refusal(await make(body))).toEqual(
      refused('unknown property unknown0, unknown1, unknown2, unknown3, unknown4, and 995 more'),
    );
  });

  it('refuses query parameters where there are none', async () => {
    const answer = await make('{"name":"x"}', { query: '?size=2' });
    expect(await refusal(answer)).toEqual(refused('unknown query parameter size'));
  });

  it.each(['/things/make%3Anow', '/things/make%3anow', '/things/make:now/'])(
    'finds %s as it finds /things/make:now',
    async (path) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}${path}`, { method: 'POST', body: '{"name":"x"}', headers });
      expect(answer.status).toBe(201);
    },
  );

  it.each([
    [
      'too long a URL',
      `GET /things?addresses=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: h\r\n\r\n`,
      'URL and headers must not be longer than 16 KB together',
    ],
    [
      'an unknown method',
      'FETCH /things HTTP/1.1\r\nHost: h\r\n\r\n',
      'malformed HTTP request: unknown method',
    ],
    ['garbage', 'GET /things HTTX/1.1\r\n\r\n', 'malformed HTTP request'],
    [
      'an expectation',
      'GET /things HTTP/1.1\r\nHost: h\r\nExpect: foo\r\nConnection: close\r\n\r\n',
      'expect: only 100-continue is supported',
    ],
    [
      'a bad escape in the path',
      `GET /${'x'.repeat(600)}%zz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`,
      'the path of the URL is malformed',
    ],
    [
      'too long a part of the path',
      `GET /things/named/${'x'.repeat(600)} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`,
      'path: a part of it is longer than 512 characters',
    ],
  ])('answers %s with the one error body, and names the fault', async (_name, request, message) => {
    const answer = await raw(request);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/^content-type: application\/json; charset=utf-8\r$/im);
    expect(answer).toMatch(/^x-request-id: \S+\r$/m);
    expect(answer).toContain(JSON.stringify({ message, statusCode: 400, error: 'Bad Request' }));
  });

  it.each([
    ['headers', 'GET /things HTTP/1.1\r\nHost: h\r\n'],
    [
      'body',
      'POST /things/make:now HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
    ],
  ])(
    'answers a caller who sends his %s too slowly with the time that he would have had',
    async (_name, beginning) => {
      const adapter = createAdapter({ requestTimeoutMs: 200 });
      const impatient = await NestFactory.create<NestFastifyApplication>(ThingsModule, adapter, { logger });
      await registerHttpHooks(impatient);
      await impatient.listen(0, '127.0.0.1');
      try {
        const answer = await raw(beginning, await impatient.getUrl());
        expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
        expect(answer).toContain(
          '{"message":"the request did not arrive within 0.2 s","statusCode":400,"error":"Bad Request"}',
        );
      } finally {
        await impatient.close();
      }
    },
  ); // by itself Node would wait for a minute

  it.each([
    ['announced', 'Content-Length: 12582912\r\n\r\n', ''],
    ['sent in chunks', 'Transfer-Encoding: chunked\r\n\r\nC00000\r\n', '\r\n0\r\n\r\n'],
  ])('answers who reads no answer before his %s, too long body is sent', async (_name, head, end) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`POST /things/make:now HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n${head}`);
    await new Promise<void>((resolve, reject) => {
      socket.write('x'.repeat(12 * 1024 * 1024) + end, (error) => (error ? reject(error) : resolve()));
    });
    expect(await text(socket)).toContain('"message":"Request body is too large"');
  });

  it('waits for no body that nobody would send', async () => {
    const head = 'POST /things/make:now HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n';
    expect(await raw(`${head}Content-Length: 99999999999\r\n\r\n{`)).toContain('Request body is too large');
  });

  it('answers a request without Host', async () => {
    expect(await raw('GET /things HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('refuses a body that is nested deeper than any that means something', async () => {
    const nested = (depth: number): string => `{"inner":`.repeat(depth) + '{}' + '}'.repeat(depth);
    for (const depth of [32, 5_000]) {
      expect(await refusal(await make(nested(depth)))).toEqual(
        refused('the body must not be nested more than 32 levels deep'),
      );
    }
    expect(await refusal(await make(`{"name":${'['.repeat(5_000)}${']'.repeat(5_000)}}`))).toEqual(
      refused('name: Invalid input: expected string, received array'),
    );
  });

  it('answers an OPTIONS that is no preflight as one that is', async () => {
    const answer = await fetch(`${url}/things`, { method: 'OPTIONS' });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, DELETE');
    expect(answer.headers.get('x-request-id')).toMatch(/\S/);
  });

  it('lets nobody keep an error', async () => {
    expect((await fetch(`${url}/things/nothing`)).headers.get('cache-control')).toBe('no-store');
  });

  it('lets pages of all origins ask, and read the headers', async () => {
    const headers = { origin: 'https://wallet.example', 'access-control-request-method': 'POST' };
    const asked = await fetch(`${url}/things/make:now`, { method: 'OPTIONS', headers });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, DELETE');
    expect(asked.headers.get('access-control-allow-headers')).toBe('*');
    const answer = await fetch(`${url}/things`, { headers });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-expose-headers')).toBe('*');
  });

  it('answers a repeated request that nothing has changed', async () => {
    const first = await fetch(`${url}/things`);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    const again = await fetch(`${url}/things`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await fetch(`${url}/things`, { headers: { 'if-none-match': 'W/"other"' } })).status).toBe(200);
    expect(again.headers.get('content-length')).toBeNull();
    const head = await fetch(`${url}/things`, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
    const several = { 'if-none-match': `"x", ${etag.slice(2)}` };
    expect((await fetch(`${url}/things`, { headers: several })).status).toBe(304);
  });

  it('never takes an error, or the outcome of a POST, for unchanged', async () => {
    const headers = { 'if-none-match': '*' };
    const away = await fetch(`${url}/things/away`, { headers });
    expect([away.status, away.headers.get('etag')]).toEqual([503, null]);
    const made = await make('{"name":"x"}', headers);
    expect([made.status, made.headers.get('etag')]).toEqual([201, null]);
  });

  it('compresses answers for who accepts it, but for files', async () => {
    const get = async (path: string): Promise<[string, string]> => {
      const answer = await raw(
        `GET ${path} HTTP/1.0\r\nHost: h\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n`,
      );
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      return [head, body];
    };
    expect((await get('/things'))[0]).toMatch(/content-encoding: gzip/i);
    expect((await get('/things/file'))[0]).not.toMatch(/content-encoding/i);
    const { rawPayload } = await app.inject({ url: '/things', headers: { 'accept-encoding': 'gzip' } });
    expect(JSON.parse(gunzipSync(rawPayload).toString())).toHaveProperty('items.499', 'thing 499');
    expect((await fetch(`${url}/things/nothing`)).headers.get('content-encoding')).toBeNull();
  });

  it('reports when to come back after a 503, and forbids guessing at types', async () => {
    const answer = await fetch(`${url}/things/away`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('does not take a caller who leaves in the middle of his request for a failure of its own', async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      'POST /things/make:now HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"name":',
    );
    logged.length = 0;
    socket.destroy();
    await eventually('it is logged', () => logged.some(({ text }) => text.includes('has left')));
    expect(logged.filter(({ level }) => level !== 'debug')).toEqual([]);
  });
});

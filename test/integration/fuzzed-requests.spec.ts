import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { once } from 'node:events';
import { connect } from 'node:net';
import { z } from 'zod';
import { ERROR_TEXTS } from '../../src/platform/http/errors/api-error.js';
import { CallersBed } from '../support/http/callers-bed.js';

/** Of well-formed HTTP, and of bytes that need not be any. */
const REQUESTS = 5_000;
const CONNECTIONS = 300;
const AT_ONCE = 25;

const DocumentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

const ErrorBodySchema = z.strictObject({
  message: z.string().min(1),
  statusCode: z.number(),
  error: z.enum(Object.values(ERROR_TEXTS)),
});

/** Requests that no honest caller sends, besides honest ones. */
const oddText = fc.oneof(
  fc.constantFrom('', '\0', '%00', '%', '..', '0', '-1', '1e9', '1.0', 'fuji', 'p-chain', 'null', '[]', '{}'),
  fc.constantFrom('NodeID-1', '0x', `0x${'ab'.repeat(20)}`, '11111111111111111111111111111111LpoYY'),
  fc.constantFrom('9'.repeat(400), 'a'.repeat(3_000), ','.repeat(200), '\ud800', '\r\n', "' OR 1=1 --"),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const deep = (depth: number): unknown => (depth === 0 ? 1 : { inner: [deep(depth - 1)] });
const oddJson = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(deep(20), deep(200), [], 0, ''));
const oddBody = fc.oneof(
  oddJson.map((value) => JSON.stringify(value)),
  // The properties that are asked for, with any values.
  fc
    .record(
      Object.fromEntries(
        ['message', 'justification', 'quorumPercentage', 'type', 'options', 'addresses'].map((name) => [
          name,
          fc.oneof(oddText, oddJson),
        ]),
      ),
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom('{"a":'.repeat(9_000), '['.repeat(50_000), `{"message":"0x${'0'.repeat(100_000)}"}`),
);

const QUERY_NAMES = [
  ...[
    'pageSize',
    'pageToken',
    'sortBy',
    'sortOrder',
    'addresses',
    'nodeIds',
    'subnetId',
    'assetId',
    'network',
  ],
  ...['minUtxoAmount', 'includeSpent', 'validationStatus', 'startTimestamp', 'endTimestamp', 'timeInterval'],
  ...['groupBy', 'chainId', 'requestPath', 'responseCode', 'apiKeyId', 'orgId', 'pChainHeight', 'signature'],
];

const oddRequest = (routes: readonly { path: string; method: string }[]) =>
  fc.record({
    route: fc.constantFrom(...routes),
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      fc.constantFrom('PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'POST', 'GET'),
    ),
    parts: fc.array(oddText, { minLength: 4, maxLength: 4 }),
    query: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...QUERY_NAMES), oddText), oddText), { maxLength: 4 }),
    body: oddBody,
    contentType: fc.constantFrom(
      'application/json',
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      '',
    ),
    key: fc.constantFrom('', '', 'nds_x', 'é'),
  });

type OddRequest = ReturnType<typeof oddRequest> extends fc.Arbitrary<infer Request> ? Request : never;

describe('whatever is sent', () => {
  let bed: CallersBed;
  let routes: { path: string; method: string }[];

  beforeAll(async () => {
    bed = await CallersBed.start();
    const { paths } = DocumentSchema.parse((await bed.get('/openapi.json')).body);
    // Those of health take nothing, have answers of their own, and Temporal is away here.
    const isOfHealth = (path: string): boolean => /-check$|\/status$/.test(path);
    routes = Object.entries(paths).flatMap(([path, methods]) =>
      isOfHealth(path) ? [] : Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
    );
    expect(routes.length).toBeGreaterThan(12);
  });

  const send = ({ route, method, parts, query, body, contentType, key }: OddRequest): Promise<Response> => {
    const left = [...parts];
    const path = route.path.replaceAll(/\{\w+\}/g, () => escaped(left.pop() ?? ''));
    const search = query.map((pair) => pair.map((text) => escaped(text)).join('='));
    const used = method ?? route.method;
    return fetch(`${bed.first().url}${path}${search.length === 0 ? '' : `?${search.join('&')}`}`, {
      method: used,
      redirect: 'manual',
      headers: {
        ...(contentType === '' ? {} : { 'content-type': contentType }),
        ...(key === '' ? {} : { 'x-data-api-key': key }),
      },
      ...(used === 'GET' || used === 'HEAD' ? {} : { body }),
    });
  };

  const complaintAbout = async (request: OddRequest): Promise<string | undefined> => {
    const answer = await send(request);
    const text = await answer.text();
    const isHead = (request.method ?? request.route.method) === 'HEAD';
    const problems = [
      answer.status === 500 && 'a 500',
      !/\S/.test(answer.headers.get('x-request-id') ?? '') && 'no request id',
      answer.headers.get('content-type')?.startsWith('text/plain') === true && 'plain text',
      answer.status >= 400 &&
        !isHead &&
        !isErrorBody(text, answer.status) &&
        `no error body: ${text.slice(0, 100)}`,
    ].filter((problem) => problem !== false);
    return problems.length === 0
      ? undefined
      : `${problems.join(', ')} after ${JSON.stringify(request).slice(0, 1_000)}`;
  };

  it('is answered with the error body and a request id, and never with a 500', async () => {
    const requests = fc.sample(oddRequest(routes), { numRuns: REQUESTS, seed: 20_261_125 });
    const complaints: string[] = [];
    const left = requests.values();
    const sendAll = async (): Promise<void> => {
      for (const request of left) {
        const complaint = await complaintAbout(request);
        if (complaint !== undefined) complaints.push(complaint);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendAll));
    expect(complaints.slice(0, 5)).toEqual([]);
  });

  it('is answered with a 400 where it is no HTTP, and the next caller as ever', async () => {
    const { hostname, port } = new URL(bed.first().url);
    const exchange = async (bytes: Uint8Array): Promise<string> => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      let received = '';
      socket.on('data', (chunk) => (received += chunk.toString('latin1')));
      await once(socket, 'connect');
      const closed = once(socket, 'close');
      socket.end(bytes);
      await closed;
      return received;
    };
    const lines = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc
        .tuple(fc.constantFrom('GET', 'POST', 'HEAD', 'BREW'), oddText, oddText)
        .map(([method, path, header]) =>
          Buffer.from(`${method} /${path} HTTP/1.1\r\nhost: h\r\nx: ${header}\r\n\r\n`),
        ),
    );
    for (const bytes of fc.sample(lines, { numRuns: CONNECTIONS, seed: 7 })) {
      const received = await exchange(bytes);
      if (received !== '') expect(received).toMatch(/^HTTP\/1\.1 (2|3|4)\d\d /);
      expect(received).not.toMatch(/^content-type: text\/plain/im);
    }
    expect(await bed.get('/v1/live-check')).toMatchObject({ status: 200 });
  });
});

/** Half a surrogate pair, which no URL can have, becomes a replacement character. */
function escaped(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function isErrorBody(text: string, status: number): boolean {
  try {
    return ErrorBodySchema.parse(JSON.parse(text)).statusCode === status;
  } catch {
    return false;
  }
}

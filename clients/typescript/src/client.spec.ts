import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createClient } from './client.js';
import {
  ApiError,
  BadGatewayError,
  BadRequestError,
  ConnectionError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
} from './errors.js';
import { ExportFailedError } from './exports.js';
import type { ExportTransactionsData } from './schema.js';

const JSON_TYPE = { 'content-type': 'application/json' };

interface Sent {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Headers;
  readonly redirect: string | undefined;
}

/** A client whose requests get these answers, one after the other; an Error is a connection that is lost. */
function clientOf(
  answers: readonly (Response | Error)[],
  options: { retries?: number; apiKey?: string } = {},
) {
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: 'http://service.test/',
    ...options,
    fetch: async (url, init) => {
      init?.signal?.throwIfAborted();
      sent.push({
        url: url instanceof Request ? url.url : url.toString(),
        method: init?.method,
        headers: new Headers(init?.headers),
        redirect: init?.redirect,
      });
      const answer = answers[sent.length - 1];
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no more answers');
      return answer;
    },
  });
  return { client, sent };
}

const ok = (body: unknown): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { headers: JSON_TYPE });

const failure = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ message: `because of ${status}`, statusCode: status, error: '' }), {
    status,
    headers: { ...JSON_TYPE, 'x-request-id': 'id-1', ...headers },
  });

const lost = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });

describe('requests of the client', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('fill in the path, and have everything else in the query', async () => {
    const { client, sent } = clientOf([ok({ validators: [] })], { apiKey: 'nds_secret' });
    await client.get('/v1/networks/{network}/validators/{nodeId}', {
      network: 'fuji',
      nodeId: 'NodeID-a/b',
      pageSize: 5,
      pageToken: undefined,
    });
    expect(sent[0]?.url).toBe('http://service.test/v1/networks/fuji/validators/NodeID-a%2Fb?pageSize=5');
    expect(sent[0]?.headers.get('x-data-api-key')).toBe('nds_secret');
    expect(sent[0]?.redirect).toBe('error');
  });

  it('keep the key from links', async () => {
    const { client, sent } = clientOf([ok('text')], { apiKey: 'nds_secret' });
    const chunks: Uint8Array[] = [];
    for await (const chunk of client.download('http://elsewhere.test/file?signature=s')) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('text');
    expect([...(sent[0]?.headers.keys() ?? [])]).toEqual([]);
  });

  it('read every digit of an integer', async () => {
    const { client } = clientOf([ok('{"validators":[{"weight":18446744073709551615},{"weight":7}]}')]);
    const { validators } = await client.get('/v1/networks/{network}/l1Validators', { network: 'fuji' });
    expect(validators.map(({ weight }) => BigInt(weight))).toEqual([18446744073709551615n, 7n]);
  });

  it.each([
    [400, BadRequestError],
    [401, UnauthorizedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [429, TooManyRequestsError],
    [500, InternalServerError],
    [502, BadGatewayError],
    [503, ServiceUnavailableError],
    [504, ApiError],
  ])('throw a %i as its class', async (status, wanted) => {
    const { client, sent } = clientOf([failure(status, { 'retry-after': '3600' })]);
    const error = await errorOf(client.get('/v1/me'));
    expect(error?.constructor).toBe(wanted);
    expect(error).toMatchObject({
      name: wanted.name,
      message: `because of ${status}`,
      status,
      requestId: 'id-1',
      retryAfterSeconds: 3600,
      details: { method: 'GET', path: '/v1/me', attempts: 1 },
    });
    expect(sent).toHaveLength(1);
  });

  it('are sent again when the service is ready for them', async () => {
    const { client, sent } = clientOf([
      failure(429, { 'retry-after': '7' }),
      failure(503),
      lost,
      ok({ chains: [] }),
    ]);
    const answer = client.get('/v1/chains');
    for (const [milliseconds, count] of [
      [6_999, 1],
      [1, 2],
      [999, 2],
      [1, 3],
      [1_999, 3],
      [1, 4],
    ] as const) {
      await jest.advanceTimersByTimeAsync(milliseconds);
      expect(sent).toHaveLength(count);
    }
    expect(await answer).toEqual({ chains: [] });
  });

  it('are sent again as often as is allowed', async () => {
    const answers = Array.from({ length: 4 }, () => failure(503, { 'retry-after': '0' }));
    const { client, sent } = clientOf(answers, { retries: 2 });
    const error = errorOf(client.get('/v1/chains'));
    await jest.runAllTimersAsync();
    expect(await error).toMatchObject({ status: 503, details: { attempts: 3 } });
    expect(sent).toHaveLength(3);
  });

  it('are not sent again when that would take too long', async () => {
    const { client, sent } = clientOf([failure(429, { 'retry-after': '61' })]);
    expect(await errorOf(client.get('/v1/chains'))).toMatchObject({ retryAfterSeconds: 61 });
    expect(sent).toHaveLength(1);
  });

  it('name a connection that stays lost', async () => {
    const { client } = clientOf([lost], { retries: 0 });
    const error = await errorOf(client.get('/v1/chains'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error?.message).toBe('no answer: connect ECONNREFUSED');
  });

  it('refuse an answer that is not JSON', async () => {
    const { client } = clientOf([ok('<html>')]);
    expect(await errorOf(client.get('/v1/chains'))).toBeInstanceOf(ConnectionError);
  });

  it('end when their signal aborts, while they wait, too', async () => {
    const { client, sent } = clientOf([failure(503, { 'retry-after': '30' })]);
    const controller = new AbortController();
    const error = errorOf(client.get('/v1/chains', {}, { signal: controller.signal }));
    await jest.advanceTimersByTimeAsync(1_000);
    controller.abort(new Error('enough'));
    expect(await error).toMatchObject({ message: 'enough' });
    expect(sent).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('of an export carry a key of their own each time, the same one when they are repeated', async () => {
    const operation = { operationId: 'x' };
    const { client, sent } = clientOf([lost, ok(operation), ok(operation), ok(operation)]);
    const request: ExportTransactionsData['body'] = {
      type: 'TRANSACTION_EXPORT_EVM',
      options: { addresses: ['0x'], includeChains: ['1'] },
    };
    const first = client.exportTransactions(request);
    await jest.runAllTimersAsync();
    await first;
    await client.exportTransactions(request);
    await client.exportTransactions(request, { idempotencyKey: 'mine' });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(keys[3]).toBe('mine');
  });
});

describe('lists of the client', () => {
  const path = '/v1/networks/{network}/validators/{nodeId}/cycles';
  const parameters = { network: 'fuji', nodeId: 'NodeID-1', pageSize: 2 } as const;

  it('go on from page to page', async () => {
    const { client, sent } = clientOf([
      ok({ currentCycle: {}, cycles: [{ cycleIndex: 3 }, { cycleIndex: 2 }], nextPageToken: 'a b' }),
      ok({ currentCycle: {}, cycles: [], nextPageToken: 'c' }),
      ok({ currentCycle: {}, cycles: [{ cycleIndex: 1 }] }),
    ]);
    const rows: unknown[] = [];
    for await (const row of client.list(path, parameters)) rows.push(row);
    expect(rows).toEqual([{ cycleIndex: 3 }, { cycleIndex: 2 }, { cycleIndex: 1 }]);
    expect(sent.map(({ url }) => new URL(url).searchParams.get('pageToken'))).toEqual([null, 'a b', 'c']);
    expect(sent.map(({ url }) => new URL(url).searchParams.get('pageSize'))).toEqual(['2', '2', '2']);
  });

  it('are only those of the paths that have pages', () => {
    const { client } = clientOf([]);
    // @ts-expect-error one answer
    client.list('/v1/me');
    // @ts-expect-error no name of a network
    client.list('/v1/networks/{network}/validators', { network: 'elsewhere' });
    // @ts-expect-error a network is needed
    client.list('/v1/networks/{network}/validators');
    client.list('/v1/icm/addresses/{address}/messages', { address: '0x' });
  });

  it('ask for no page that nobody wants', async () => {
    const { client, sent } = clientOf([ok({ cycles: [{ cycleIndex: 3 }], nextPageToken: 'a' })]);
    for await (const row of client.list(path, parameters)) {
      expect(row).toEqual({ cycleIndex: 3 });
      break;
    }
    expect(sent).toHaveLength(1);
  });
});

describe('exports of the client', () => {
  const running = { operationId: 'x', operationStatus: 'RUNNING', message: '5 rows', metadata: {} };
  const reports = (answers: readonly (Response | Error)[]) => {
    const { client, sent } = clientOf(answers);
    const messages: string[] = [];
    const end = client.waitForExport('x', { onProgress: ({ message }) => messages.push(message) });
    return { end, sent, messages };
  };

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are asked about as often as the service wishes', async () => {
    const metadata = { downloadUrl: 'http://service.test/file', nextDate: '2026-11-02' };
    const { end, sent, messages } = reports([
      new Response(JSON.stringify(running), { headers: { 'retry-after': '9' } }),
      ok(running),
      ok({ ...running, operationStatus: 'COMPLETED_WITH_WARNING', message: '7 rows', metadata }),
    ]);
    for (const [milliseconds, count] of [
      [8_999, 1],
      [1, 2],
      [1_999, 2],
      [1, 3],
    ] as const) {
      await jest.advanceTimersByTimeAsync(milliseconds);
      expect(sent).toHaveLength(count);
    }
    expect(await end).toMatchObject({ operationId: 'x', ...metadata, proofUrl: undefined });
    expect(messages).toEqual(['5 rows', '5 rows', '7 rows']);
  });

  it('are waited for while the service is away for minutes, and no longer than ten', async () => {
    const done = {
      ...running,
      operationId: 'another',
      metadata: { downloadUrl: 'http://service.test/file' },
    };
    const ofProxy = [502, 503, 504].map((status) => new Response('<html>', { status }));
    const away = [...Array.from({ length: 9 }, () => new Error('away')), ...ofProxy];
    const back = reports([...away, ok({ ...done, operationStatus: 'COMPLETED' })]);
    await jest.runAllTimersAsync();
    expect(await back.end).toMatchObject({ operationId: 'x' });
    const gone = reports(Array.from({ length: 100 }, () => new Error('away')));
    const error = errorOf(gone.end);
    const beganAt = Date.now();
    await jest.runAllTimersAsync();
    expect(await error).toBeInstanceOf(ConnectionError);
    // The last time is after a wait that began within the ten, as long as chance has it.
    expect(Math.floor((Date.now() - beganAt) / 60_000)).toBe(10);
  });

  it('fail with the reason of the service', async () => {
    const { end } = reports([ok({ ...running, operationStatus: 'FAILED', message: 'no node has it' })]);
    const error = await errorOf(end);
    expect(error).toBeInstanceOf(ExportFailedError);
    expect(error?.message).toBe('export x: no node has it');
  });
});

describe('downloads of the client', () => {
  const brokenBody = (error: Error) =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('begin')),
        pull: (controller) => controller.error(error),
      }),
    );
  const read = async (chunks: AsyncIterable<Uint8Array>, seen: string[]) => {
    for await (const chunk of chunks) seen.push(Buffer.from(chunk).toString());
  };

  it('break off with an error that does not show the signature of the link', async () => {
    const { client } = clientOf([brokenBody(new Error('terminated'))]);
    const seen: string[] = [];
    const error = await errorOf(read(client.download('http://service.test/file?signature=s'), seen));
    expect(seen).toEqual(['begin']);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ details: { path: 'http://service.test/file' } });
    expect(error?.message).toBe('no answer: terminated');
  });

  it('end with the reason of their signal', async () => {
    const { client } = clientOf([brokenBody(new Error('aborted'))]);
    const controller = new AbortController();
    const chunks = client.download('http://service.test/file', { signal: controller.signal });
    await chunks.next();
    controller.abort(new Error('enough'));
    expect(await errorOf(chunks.next())).toMatchObject({ message: 'enough' });
  });
});

function errorOf(promise: Promise<unknown>): Promise<Error | undefined> {
  return promise.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
}

import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { ExportStorage } from '../../src/exports/storage/export-storage.js';
import { FolderStorage } from '../../src/exports/storage/folder-storage.js';
import { S3Storage } from '../../src/exports/storage/s3-storage.js';
import { parseStorageUrl } from '../../src/exports/storage/storage-url.js';
import { DownloadController } from '../../src/resources/operations/download/download.controller.js';
import {
  download,
  type Download,
  DownloadApi,
  inSeconds,
  type StoredFile,
} from '../support/http/download-api.js';
import { eventually } from '../support/harness/eventually.js';
import { FakeS3 } from '../support/exports/fake-s3.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestFolder } from '../support/harness/services.js';

const NO_SUCH_DOWNLOAD = 'no such download; use the URL exactly as the operation gives it';
const REMOVED = 'the file of this operation has been removed';

function expectError(answer: Download, statusCode: number, error: string, message: string): void {
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(JSON.parse(answer.body.toString())).toEqual({ message, statusCode, error });
  expect(answer.status).toBe(statusCode);
}

describe(DownloadController.name, () => {
  let api: DownloadApi;
  let storage: ExportStorage;
  let file: StoredFile;
  let url: string;
  let etag: string;

  beforeAll(async () => {
    const folder = createTestFolder('exports');
    storage = new FolderStorage(folder);
    api = await DownloadApi.start({ EXPORT_STORAGE_URL: folder });
    const pieces = [10, 0, 1, 2, 300_000, 0, 5].map((length) => randomBytes(length));
    file = await api.insert(storage, pieces, { status: 'COMPLETED_WITH_WARNING' });
    url = await api.makeUrl(file.operationId);
    etag = `"${file.operationId}-${file.bytes.length}"`;
  });

  const common = () => ({
    etag,
    'cache-control': 'private',
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
  });
  const described = () => ({
    ...common(),
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="transactions-${file.operationId}.csv"`,
  });
  /** Headers about the file. Every answer also has an id of its own. */
  const withoutTransport = ({
    date: _date,
    connection: _connection,
    'x-request-id': requestId,
    'access-control-allow-origin': allowedOrigin,
    'access-control-expose-headers': _exposed,
    ...headers
  }: Download['headers']) => {
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(allowedOrigin).toBe('*');
    return headers;
  };

  it('sends the whole file, with all headers that describe it', async () => {
    const answer = await download(url);
    expect(answer.status).toBe(200);
    expect(withoutTransport(answer.headers)).toEqual({
      ...described(),
      'accept-ranges': 'bytes',
      'content-length': String(file.bytes.length),
    });
    expect(answer.body.equals(file.bytes)).toBe(true);
  });

  it('answers HEAD as GET, without the bytes and without regard to ranges', async () => {
    for (const headers of [undefined, { range: 'bytes=0-1' }]) {
      const answer = await download(url, headers, 'HEAD');
      expect({ ...answer, headers: withoutTransport(answer.headers) }).toEqual({
        status: 200,
        headers: { ...described(), 'accept-ranges': 'bytes', 'content-length': String(file.bytes.length) },
        body: Buffer.alloc(0),
        isCut: false,
      });
    }
  });

  it('sends the file compressed, as it is stored, to those who accept it', async () => {
    const answer = await download(url, { 'accept-encoding': 'br, gzip;q=0.8' });
    expect(answer.status).toBe(200);
    expect(withoutTransport(answer.headers)).toEqual({
      ...described(),
      etag: etag.replace(/"$/, '-gzip"'),
      'content-encoding': 'gzip',
      'content-length': String(answer.body.length),
    });
    expect(gunzipSync(answer.body).equals(file.bytes)).toBe(true);
    expect((await download(url, { 'accept-encoding': 'gzip;q=0' })).body.equals(file.bytes)).toBe(true);
  });

  describe('with .csv.gz', () => {
    const gzipUrl = (of = url) => of.replace('.csv?', '.csv.gz?');
    const describedGzip = () => ({
      etag: etag.replace(/"$/, '-gzip"'),
      'cache-control': 'private',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="transactions-${file.operationId}.csv.gz"`,
      'accept-ranges': 'bytes',
    });

    it('sends a gzip file, whatever encodings are accepted', async () => {
      for (const coding of ['identity', 'gzip']) {
        const answer = await download(gzipUrl(), { 'accept-encoding': coding });
        expect(answer.status).toBe(200);
        expect(withoutTransport(answer.headers)).toEqual({
          ...describedGzip(),
          'content-length': String(answer.body.length),
        });
        expect(gunzipSync(answer.body).equals(file.bytes)).toBe(true);
      }
    });

    it('answers HEAD and ranges', async () => {
      const { body } = await download(gzipUrl());
      const head = await download(gzipUrl(), {}, 'HEAD');
      expect(head).toMatchObject({ status: 200, headers: { 'content-length': String(body.length) } });
      for (const [start, end] of [
        [0, 3],
        [5, 300_000],
        [body.length - 4, body.length - 1],
      ] as const) {
        const answer = await download(gzipUrl(), { range: `bytes=${start}-${end}` });
        expect(answer.status).toBe(206);
        expect(withoutTransport(answer.headers)).toEqual({
          ...describedGzip(),
          'content-length': String(end - start + 1),
          'content-range': `bytes ${start}-${end}/${body.length}`,
        });
        expect(answer.body.equals(body.subarray(start, end + 1))).toBe(true);
      }
      expect((await download(gzipUrl(), { range: `bytes=${body.length}-` })).status).toBe(416);
    });

    it('needs the link as it was given, too', async () => {
      expectError(await download(`${gzipUrl()}x`), 404, 'Not Found', NO_SUCH_DOWNLOAD);
    });
  });

  it.each<[string, string, RegExp]>([
    ['its last part', 'DELETE FROM export_parts WHERE operation_id = $1 AND part = 2', /part 2 is missing/],
    [
      'a part in the middle',
      'DELETE FROM export_parts WHERE operation_id = $1 AND part = 1',
      /part 1 is missing/,
    ],
    ['all parts', 'DELETE FROM export_parts WHERE operation_id = $1', /part 0 is missing/],
    [
      'bytes',
      'UPDATE operations SET byte_count = byte_count + 1 WHERE operation_id = $1',
      /its parts have 15 of 16 bytes/,
    ],
  ])('sends no file that lacks %s on record, and reports why in the log', async (_, change, problem) => {
    const { operationId } = await api.insert(
      storage,
      [5, 5, 5].map((length) => randomBytes(length)),
    );
    await api.dataSource.query(change, [operationId]);
    const message = 'the file of this operation is no longer complete; export it again';
    expectError(await download(await api.makeUrl(operationId)), 404, 'Not Found', message);
    await eventually('it is logged', () => api.log.includes(operationId));
    expect(api.log.split('\n').find((line) => line.includes(operationId))).toMatch(problem);
  });

  it('charges for what has to be read before a range', async () => {
    const folder = createTestFolder('exports');
    const charging = await DownloadApi.start({ EXPORT_STORAGE_URL: folder, RATE_LIMITS: 'true' });
    const { operationId } = await charging.insert(new FolderStorage(folder), [Buffer.alloc(9 * 2 ** 20)]);
    const link = await charging.makeUrl(operationId);
    const spent = async (range: string): Promise<number> => {
      const sum = async (): Promise<number> => {
        const [row] = await charging.dataSource.query<{ units: number }[]>(
          'SELECT coalesce(sum(day_units), 0)::int AS units FROM rate_limit_windows',
        );
        return row?.units ?? 0;
      };
      const before = await sum();
      expect((await download(link, { range })).status).toBe(206);
      await eventually('it is charged', async () => (await sum()) >= before + 20);
      return (await sum()) - before;
    };
    expect(await spent('bytes=0-0')).toBe(20);
    expect(await spent('bytes=9000000-9000000')).toBe(60);
  });

  it('sends a range, uncompressed', async () => {
    const answer = await download(url, { range: 'bytes=8-12', 'accept-encoding': 'gzip' });
    expect(answer.status).toBe(206);
    expect(withoutTransport(answer.headers)).toEqual({
      ...described(),
      'accept-ranges': 'bytes',
      'content-length': '5',
      'content-range': `bytes 8-12/${file.bytes.length}`,
    });
    expect(answer.body.equals(file.bytes.subarray(8, 13))).toBe(true);
  });

  it('sends for any range that slice of the whole, across all parts', async () => {
    const small = await api.insert(
      storage,
      [3, 0, 1, 4, 1, 7].map((length) => randomBytes(length)),
    );
    const smallUrl = await api.makeUrl(small.operationId);
    const position = fc.nat({ max: small.bytes.length + 2 });
    await fc.assert(
      fc.asyncProperty(position, fc.option(position), async (start, length) => {
        const end = length === null ? '' : String(start + length);
        const answer = await download(smallUrl, { range: `bytes=${start}-${end}` });
        const expected = small.bytes.subarray(start, length === null ? undefined : start + length + 1);
        expect(answer.status).toBe(expected.length === 0 ? 416 : 206);
        if (expected.length > 0) expect(answer.body.equals(expected)).toBe(true);
      }),
      { numRuns: 60 },
    );
    expect((await download(smallUrl, { range: 'bytes=-5' })).body.equals(small.bytes.subarray(-5))).toBe(
      true,
    );
  });

  it('answers 416 beyond the end, with the size and the one body', async () => {
    const answer = await download(url, { range: `bytes=${file.bytes.length}-` });
    expectError(answer, 416, 'Range Not Satisfiable', 'no such range in this file');
    expect(answer.headers['content-range']).toBe(`bytes */${file.bytes.length}`);
    expect(answer.headers.etag).toBeUndefined();
  });

  it.each([
    ['several ranges', () => ({ range: 'bytes=0-1,4-5' })],
    ['another unit', () => ({ range: 'rows=0-1' })],
    ['a range of another version', () => ({ range: 'bytes=0-1', 'if-range': '"other"' })],
    [
      'a range of the compressed file',
      () => ({ range: 'bytes=0-1', 'if-range': etag.replace(/"$/, '-gzip"') }),
    ],
    ['a range by date', () => ({ range: 'bytes=0-1', 'if-range': 'Sat, 21 Nov 2026 00:00:00 GMT' })],
  ])('sends the whole file for %s', async (_name, headers) => {
    const answer = await download(url, headers());
    expect(answer.status).toBe(200);
    expect(answer.body.equals(file.bytes)).toBe(true);
  });

  it('goes on with a file that has not changed', async () => {
    const answer = await download(url, { range: 'bytes=100-', 'if-range': etag });
    expect(answer.status).toBe(206);
    expect(answer.body.equals(file.bytes.subarray(100))).toBe(true);
  });

  it('answers 304 to those who have it', async () => {
    for (const tag of [etag, `"other", W/${etag}`, '*']) {
      const answer = await download(url, { 'if-none-match': tag });
      expect({ ...answer, headers: withoutTransport(answer.headers) }).toEqual({
        status: 304,
        headers: common(),
        body: Buffer.alloc(0),
        isCut: false,
      });
    }
    expect((await download(url, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('sends one file after another over one connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onCleanup(() => agent.destroy());
    const sockets = new Set<unknown>();
    const requests: Record<string, string>[] = [
      {},
      { 'accept-encoding': 'gzip' },
      { range: 'bytes=0-9' },
      {},
    ];
    for (const headers of requests) {
      const answer = await download(url, headers, 'GET', agent);
      expect(answer.isCut).toBe(false);
      for (const open of Object.values(agent.freeSockets).flat()) sockets.add(open);
    }
    expect(sockets.size).toBe(1);
  });

  it('sends an empty file for an operation without a single byte', async () => {
    const { operationId } = await api.insert(storage, [Buffer.alloc(0)]);
    const answer = await download(await api.makeUrl(operationId));
    expect(answer).toMatchObject({ status: 200, body: Buffer.alloc(0), headers: { 'content-length': '0' } });
  });

  describe('with a link that is not valid', () => {
    const change = (name: string, alter: (value: string) => string | null) => () => {
      const changed = new URL(url);
      const value = alter(changed.searchParams.get(name) ?? '');
      if (value === null) changed.searchParams.delete(name);
      else changed.searchParams.set(name, value);
      return changed.href;
    };
    const flip = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

    it.each<[string, () => string | Promise<string>]>([
      ['no signature', change('signature', () => null)],
      ['an empty signature', change('signature', () => '')],
      ['a changed signature', change('signature', (text) => flip(text, 7))],
      // Its last character has two spare bits.
      [
        'a signature of the same bytes',
        change('signature', (text) => text.slice(0, -1) + nextCharacter(text.at(-1))),
      ],
      ['a longer signature', change('signature', (text) => `${text}=`)],
      ['a very long signature', change('signature', () => 'A'.repeat(5000))],
      ['a later expiry', change('expires', (text) => String(Number(text) + 1))],
      ['an expiry written otherwise', change('expires', (text) => `0${text}`)],
      ['no expiry', change('expires', () => null)],
      ['an expiry that is none', change('expires', () => 'never')],
      ['two signatures', () => `${url}&signature=${new URL(url).searchParams.get('signature') ?? ''}`],
      ['another operation', () => url.replace(file.operationId, randomUUID())],
      ['an operation id in capitals', () => url.replace(file.operationId, file.operationId.toUpperCase())],
      ['no operation id', () => url.replace(file.operationId, 'x')],
      ['a signature of another service', () => withForeignSignature()],
    ])('answers 404 that reveals nothing to %s', async (_name, makeUrl) => {
      expectError(await download(await makeUrl()), 404, 'Not Found', NO_SUCH_DOWNLOAD);
    });

    const withForeignSignature = (): string => {
      const changed = new URL(url);
      changed.searchParams.set('signature', randomBytes(32).toString('base64url'));
      return changed.href;
    };
  });

  it('answers 404 to an expired link, and reports it', async () => {
    const expired = await api.makeUrl(file.operationId, inSeconds(-1));
    expectError(
      await download(expired),
      404,
      'Not Found',
      'this download has expired, and its file is removed',
    );
  });

  it('sends a file until its link expires', async () => {
    let short = '';
    // On a busy machine two seconds may be over before the link is used.
    for (let lasts = 2, isInTime = false; !isInTime; lasts *= 2) {
      const expires = inSeconds(lasts);
      short = await api.makeUrl(file.operationId, expires);
      const { status } = await download(short, { range: 'bytes=0-0' });
      isInTime = Date.now() / 1_000 < expires;
      expect(isInTime ? status : 206).toBe(206);
    }
    await eventually(
      'it expires',
      async () => (await download(short, { range: 'bytes=0-0' })).status === 404,
    );
  });

  it.each<[string, Parameters<DownloadApi['insert']>[2]]>([
    ['has been removed', { filesRemoved: true }],
    ['failed', { status: 'FAILED' }],
    ['still runs', { status: 'RUNNING' }],
  ])('has no file for an operation that %s', async (_name, operation) => {
    const { operationId } = await api.insert(storage, [randomBytes(5)], operation);
    expectError(await download(await api.makeUrl(operationId)), 404, 'Not Found', REMOVED);
  });

  it('has no file for an unknown operation, or for one whose parts are gone', async () => {
    expectError(await download(await api.makeUrl(randomUUID())), 404, 'Not Found', REMOVED);
    const { operationId } = await api.insert(storage, [randomBytes(5)]);
    await storage.removeAll(operationId);
    expectError(await download(await api.makeUrl(operationId)), 404, 'Not Found', REMOVED);
  });

  it('needs no more memory for a larger file, however slowly it is taken', async () => {
    const piece = randomBytes(16 * 1024 * 1024);
    /** Most that the process had meanwhile, in both forms. */
    const mostFor = async (pieces: number): Promise<number> => {
      const { operationId } = await api.insert(
        storage,
        Array.from({ length: pieces }, () => piece),
      );
      const ofFile = await api.makeUrl(operationId);
      let most = 0;
      for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
        const request = get(ofFile, { headers, agent: false });
        const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer>];
        let received = 0;
        for await (const chunk of response) {
          const step = received >> 21;
          received += chunk.length;
          // Asking takes its time, so that the file is taken slowly, too.
          if (received >> 21 !== step) most = Math.max(most, api.residentBytes());
        }
      }
      return most;
    };
    // The garbage collector leaves some 50 MB lie, of any file that has as much.
    const [small, large] = [4, 10];
    const before = await mostFor(small);
    expect((await mostFor(large)) - before).toBeLessThan(((large - small) * piece.length) / 2);
  });
});

/** The next in the alphabet of base64url: the same bytes where spare bits are all that differs. */
function nextCharacter(character = ''): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet.charAt(alphabet.indexOf(character) + 1);
}

describe('a download while the storage fails', () => {
  const bytes = randomBytes(3_000_000);
  let fake: FakeS3;
  let api: DownloadApi;
  let storage: S3Storage;
  let url: string;

  beforeAll(async () => {
    fake = await FakeS3.start();
    onCleanup(() => fake.stop());
    const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
    Object.assign(process.env, credentials);
    const location = parseStorageUrl(fake.storageUrl);
    if (location.kind !== 's3') throw new Error('not a URL of S3');
    storage = await S3Storage.open(location);
    onCleanup(() => storage.close());
    api = await DownloadApi.start({ ...credentials, EXPORT_STORAGE_URL: fake.storageUrl });
    const pieces = [bytes.subarray(0, 10), bytes.subarray(10, 2_000_000), bytes.subarray(2_000_000)];
    url = await api.makeUrl((await api.insert(storage, pieces)).operationId);
  });
  afterEach(() => {
    fake.mood = 'honest';
    fake.onRequest = () => undefined;
  });

  const countLogged = (): number => api.log.split('a download broke off').length - 1;

  it('answers 503 before the first byte, and sends the file when the storage is back', async () => {
    const unavailable = 'the export storage is not available, try again shortly';
    fake.mood = 'broken';
    expectError(await download(url), 503, 'Service Unavailable', unavailable);
    await fake.stop();
    expectError(await download(url), 503, 'Service Unavailable', unavailable);
    expectError(await download(url, { 'accept-encoding': 'gzip' }), 503, 'Service Unavailable', unavailable);
    await fake.listen();
    fake.mood = 'honest';
    expect((await download(url)).body.equals(bytes)).toBe(true);
  });

  it.each<Record<string, string>>([{}, { 'accept-encoding': 'gzip' }, { range: 'bytes=5-2500000' }])(
    'ends the connection early in the middle, with %j, and reports why in the log',
    async (headers) => {
      let objects = 0;
      const loggedBefore = countLogged();
      fake.onRequest = (call) => {
        if (call === 'GetObject' && ++objects === 2) fake.mood = 'cutting';
      };
      const answer = await download(url, headers);
      expect(answer.isCut).toBe(true);
      expect(answer.body.length).toBeLessThan(bytes.length);
      await eventually('it is logged', () => countLogged() === loggedBefore + 1);
      expect(api.log).toMatch(/"operationId":"[\da-f-]{36}","sentBytes":\d+,"fileBytes":3000000/);
    },
  );

  it('stops reading when the client has gone', async () => {
    const piece = randomBytes(4 * 1024 * 1024);
    const large = await api.insert(storage, Array<Buffer>(12).fill(piece));
    const before = fake.calls.length;
    const request = get(await api.makeUrl(large.operationId), { agent: false });
    const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer>];
    for await (const _chunk of response) break;
    request.destroy();
    const calls = () => fake.calls.slice(before).filter((call) => call === 'GetObject').length;
    // Another download takes its turn meanwhile: what the first one still did would have been seen by then.
    expect((await download(url)).body.equals(bytes)).toBe(true);
    expect(calls()).toBeLessThan(3 + 6);
    expect(api.log).not.toMatch(/unexpected error/);
  });
});

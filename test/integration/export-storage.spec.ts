import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ExportStorage,
  ExportStorageError,
  type StoredExport,
} from '../../src/exports/storage/export-storage.js';
import type { StoragePlace } from '../../src/exports/storage/storage-place.js';
import { FolderStorage } from '../../src/exports/storage/folder-storage.js';
import { OwnedStorage } from '../../src/exports/storage/owned-storage.js';
import { S3Storage, type S3Timeouts } from '../../src/exports/storage/s3-storage.js';
import { parseStorageUrl } from '../../src/exports/storage/storage-url.js';
import { eventually } from '../support/harness/eventually.js';
import { FakeS3 } from '../support/exports/fake-s3.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestFolder } from '../support/harness/services.js';

/** Three parts of a multipart upload, the last one short. */
const LARGE_BYTES = 2 * 8 * 1024 * 1024 + 12_345;

interface Place {
  readonly storage: StoragePlace;
  /** Names of everything that takes space, whether or not it can be read. */
  leftovers(): string[];
  age(operationId: string, to: Date): void;
}

function folderPlace(): Place {
  const folder = join(createTestFolder('exports'), 'deep', 'er');
  return {
    storage: new FolderStorage(folder),
    leftovers: () => filesIn(folder),
    age: (operationId, to) => utimesSync(join(folder, operationId), to, to),
  };
}

async function s3Place(fake: FakeS3): Promise<Place> {
  return {
    storage: await openS3(fake),
    leftovers: () => [...fake.objects.keys(), ...fake.uploads.keys()],
    age: (operationId, to) => {
      for (const [key, object] of fake.objects) {
        if (key.includes(operationId)) fake.objects.set(key, { ...object, modified: to });
      }
    },
  };
}

/** Whatever else this machine does, an honest server answers within these. */
const PATIENT: S3Timeouts = { connectMs: 60_000, answerMs: 60_000, stallMs: 60_000 };
/** For servers that never answer. */
const IMPATIENT: S3Timeouts = { connectMs: 500, answerMs: 300, stallMs: 300 };

async function openS3(fake: FakeS3, timeouts = PATIENT): Promise<S3Storage> {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
  const location = parseStorageUrl(fake.storageUrl);
  if (location.kind !== 's3') throw new Error('not a URL of S3');
  const storage = await S3Storage.open(location, timeouts);
  onCleanup(() => storage.close());
  return storage;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield Promise.resolve(bytes.subarray(at, at + size));
}

async function* failingAfter(bytes: number, error: Error): AsyncGenerator<Uint8Array> {
  yield* chunked(randomBytes(bytes), 64 * 1024);
  throw error;
}

/** Time that a server takes to accept a part. */
const acceptance = (): Promise<void> => delay(20);

/** Rests after the first piece. */
async function lengthReadSlowly(content: AsyncIterable<Uint8Array>, restMs: number): Promise<number> {
  let length = 0;
  for await (const { length: size } of content) {
    if (length === 0) await delay(restMs);
    length += size;
  }
  return length;
}

async function readAll(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function listAll(storage: ExportStorage): Promise<StoredExport[]> {
  const found: StoredExport[] = [];
  for await (const stored of storage.list()) found.push(stored);
  return found.sort((a, b) => (a.operationId < b.operationId ? -1 : 1));
}

const codeOf = async (work: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof ExportStorageError ? error.code : error;
};

const fake = await FakeS3.start();
onCleanup(() => fake.stop());

describe.each<[string, () => Place | Promise<Place>]>([
  [FolderStorage.name, folderPlace],
  [S3Storage.name, () => s3Place(fake)],
])('%s', (_name, makePlace) => {
  let place: Place;
  let storage: StoragePlace;
  const operationId = randomUUID();
  const key = `${operationId}/0-first`;

  beforeEach(async () => {
    fake.objects.clear();
    fake.uploads.clear();
    place = await makePlace();
    storage = place.storage;
  });

  it.each([0, 1, 100_000, LARGE_BYTES])('keeps %i bytes and reads any range of them', async (length) => {
    const bytes = randomBytes(length);
    expect(await storage.write(key, chunked(bytes, 65_537))).toBe(length);
    const ranges = [
      [0, length - 1],
      [length - 1, length - 1],
      [Math.floor(length / 3), Math.floor(length / 2)],
    ] as const;
    for (const [start, end] of ranges.slice(0, length === 0 ? 0 : 3)) {
      const read = await readAll(storage.read(key, { start, end }));
      expect(read.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
  });

  it('replaces what was there', async () => {
    await storage.write(key, chunked(randomBytes(1000), 100));
    await storage.write(key, chunked(Buffer.from('new'), 1));
    expect((await readAll(storage.read(key, { start: 0, end: 2 }))).toString()).toBe('new');
    expect(place.leftovers()).toHaveLength(1);
  });

  it.each([10, LARGE_BYTES])('keeps nothing of content that fails after %i bytes', async (length) => {
    const failure = new Error('the database has gone');
    await expect(storage.write(key, failingAfter(length, failure))).rejects.toBe(failure);
    expect(place.leftovers()).toEqual([]);
    expect(await codeOf(readAll(storage.read(key, { start: 0, end: 0 })))).toBe('NOT_FOUND');
  });

  it.each([10, LARGE_BYTES])('keeps nothing of content that is given up after %i bytes', async (length) => {
    const controller = new AbortController();
    const reason = new Error('enough');
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield* chunked(randomBytes(length), 64 * 1024);
      controller.abort(reason);
      yield* chunked(randomBytes(length), 64 * 1024);
    }
    await expect(storage.write(key, endless(), { signal: controller.signal })).rejects.toBe(reason);
    await eventually('everything is removed', () => place.leftovers().length === 0);
  });

  it('gives up content that never comes', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    async function* stuck(): AsyncGenerator<Uint8Array> {
      yield randomBytes(10);
      controller.abort(reason);
      await new Promise(() => undefined);
    }
    await expect(storage.write(key, stuck(), { signal: controller.signal })).rejects.toBe(reason);
    const aborted = AbortSignal.abort(reason);
    await expect(storage.write(key, stuck(), { signal: aborted })).rejects.toBe(reason);
    await expect(readAll(storage.read(key, { start: 0, end: 0 }, { signal: aborted }))).rejects.toBe(reason);
  });

  it('stops reading when the reader does', async () => {
    const bytes = randomBytes(LARGE_BYTES);
    await storage.write(key, chunked(bytes, 1024 * 1024));
    const controller = new AbortController();
    const reason = new Error('enough');
    const reading = storage
      .read(key, { start: 0, end: bytes.length - 1 }, { signal: controller.signal })
      [Symbol.asyncIterator]();
    expect((await reading.next()).done).toBe(false);
    controller.abort(reason);
    const rest = async (): Promise<void> => {
      while ((await reading.next()).done !== true);
    };
    await expect(rest()).rejects.toBe(reason);
    for await (const chunk of storage.read(key, { start: 0, end: bytes.length - 1 })) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
  });

  it('does not pass a part for the whole', async () => {
    await storage.write(key, chunked(randomBytes(10), 10));
    expect(await codeOf(readAll(storage.read(key, { start: 5, end: 10 })))).toBe('STORAGE_UNAVAILABLE');
    expect(await codeOf(readAll(storage.read(key, { start: 10, end: 12 })))).toBe('STORAGE_UNAVAILABLE');
    expect(await codeOf(readAll(storage.read(`${operationId}/1-x`, { start: 0, end: 0 })))).toBe('NOT_FOUND');
  });

  it.each(['', 'a', '/a', 'a/', 'a/b/c', '../a', 'a/..', 'a/.b', 'a/b\0', 'a/b c', `a/${'b'.repeat(300)}`])(
    'refuses the key %j',
    async (bad) => {
      await expect(storage.write(bad, chunked(Buffer.from('x'), 1))).rejects.toThrow(TypeError);
      await expect(readAll(storage.read(bad, { start: 0, end: 0 }))).rejects.toThrow(TypeError);
    },
  );

  it('belongs to the first database that uses it, and to no other', async () => {
    const open = (owner: string) => new OwnedStorage(storage, () => Promise.resolve(owner));
    await Promise.all([open('one').onModuleInit(), open('one').onModuleInit()]);
    await open('one').write(key, chunked(Buffer.from('x'), 1));
    expect((await listAll(open('one'))).map((stored) => stored.operationId)).toEqual([operationId]);
    const other = open('other');
    expect(await codeOf(other.onModuleInit())).toBe('FOREIGN_STORAGE');
    expect(await codeOf(other.write(key, chunked(Buffer.from('y'), 1)))).toBe('FOREIGN_STORAGE');
    expect(await codeOf(listAll(other))).toBe('FOREIGN_STORAGE');
    expect(await codeOf(other.removeAll(operationId))).toBe('FOREIGN_STORAGE');
    expect((await readAll(open('one').read(key, { start: 0, end: 0 }))).toString()).toBe('x');
    await open('one').removeAll(operationId);
    expect(place.leftovers()).toHaveLength(1);
  });

  it('lists and removes operations, and nothing beside them', async () => {
    fake.pageSize = 3;
    onCleanup(() => void (fake.pageSize = 1000));
    expect(await listAll(storage)).toEqual([]);
    const ids = ['a', 'aa', 'b'];
    for (const id of ids) {
      for (let part = 0; part < 5; part++) {
        await storage.write(`${id}/${part}-x`, chunked(Buffer.from('x'), 1));
      }
    }
    const old = new Date(1_700_000_000_000);
    place.age('b', old);
    const listed = await listAll(storage);
    expect(listed.map((stored) => stored.operationId)).toEqual(ids);
    expect(listed[2]?.writtenAt).toEqual(old);
    expect(listed[0]?.writtenAt.getTime()).toBeGreaterThan(old.getTime());
    await storage.removeAll('a');
    await storage.removeAll('a');
    await storage.removeAll('never-there');
    expect((await listAll(storage)).map((stored) => stored.operationId)).toEqual(['aa', 'b']);
    await expect(storage.removeAll('..')).rejects.toThrow(TypeError);
    expect(place.leftovers()).toHaveLength(10);
  });
});

describe(FolderStorage.name, () => {
  it('reports what is wrong with the folder', async () => {
    const parent = createTestFolder('exports');
    writeFileSync(join(parent, 'file'), '');
    const storage = new FolderStorage(join(parent, 'file'));
    const work = storage.write('a/b', chunked(Buffer.from('x'), 1));
    await expect(work).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: `the export folder ${join(parent, 'file')} failed: ENOTDIR`,
    });
  });

  it('does not blame itself for a disk that is full where the content comes from', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    const storage = new FolderStorage(createTestFolder('exports'));
    await expect(storage.write('a/b', failingAfter(10, full))).rejects.toBe(full);
  });
});

describe(S3Storage.name, () => {
  const bytes = randomBytes(100_000);
  const key = 'operation/0-x';
  let storage: S3Storage;

  beforeEach(async () => {
    fake.objects.clear();
    storage = await openS3(fake);
    await storage.write(key, chunked(bytes, 10_000));
  });
  afterEach(() => {
    fake.mood = 'honest';
    fake.onRequest = () => undefined;
  });

  const read = (from = storage): Promise<Buffer> =>
    readAll(from.read(key, { start: 0, end: bytes.length - 1 }));

  it('does not look for what is left behind in a bucket that it may share', async () => {
    const location = parseStorageUrl(fake.storageUrl.replace('/some/prefix', ''));
    if (location.kind !== 's3') throw new Error('not a URL of S3');
    const shared = await S3Storage.open(location, PATIENT);
    onCleanup(() => shared.close());
    expect(await codeOf(listAll(shared))).toBe('NOT_OURS_ALONE');
    await shared.write('operation/1-x', chunked(bytes, 10_000));
    await shared.removeAll('operation');
    expect([...fake.objects.keys()]).toEqual([`some/prefix/${key}`]);
  });

  it('is checked again when it was away at the start', async () => {
    const owned = new OwnedStorage(await openS3(fake), () => Promise.resolve('one'));
    fake.mood = 'broken';
    await owned.onModuleInit();
    expect(await codeOf(owned.removeAll('operation'))).toBe('STORAGE_UNAVAILABLE');
    fake.mood = 'honest';
    fake.objects.set('some/prefix/.database', { bytes: Buffer.from('other'), modified: new Date() });
    expect(await codeOf(owned.removeAll('operation'))).toBe('FOREIGN_STORAGE');
  });

  it('prefixes its keys', () => {
    expect([...fake.objects.keys()]).toEqual([`some/prefix/${key}`]);
    expect(storage.location).toBe('s3://exports/some/prefix/');
  });

  it.each(['broken', 'silent', 'denying'] as const)(
    'is unavailable while a server is %s, and works later',
    async (mood) => {
      const impatient = await openS3(fake, IMPATIENT);
      fake.mood = mood;
      for (const work of [
        impatient.write('operation/1-x', chunked(bytes, 10_000)),
        read(impatient),
        listAll(impatient),
        impatient.removeAll('operation'),
      ]) {
        expect(await codeOf(work)).toBe('STORAGE_UNAVAILABLE');
      }
      fake.mood = 'honest';
      expect((await read()).equals(bytes)).toBe(true);
    },
  );

  it.each(['stalling', 'cutting'] as const)(
    'is unavailable when a server is %s in the middle',
    async (mood) => {
      const impatient = await openS3(fake, IMPATIENT);
      fake.mood = mood;
      expect(await codeOf(read(impatient))).toBe('STORAGE_UNAVAILABLE');
    },
  );

  it('does not take a slow reader for a server that stalls', async () => {
    const large = randomBytes(LARGE_BYTES);
    await storage.write('operation/2-x', chunked(large, 1024 * 1024));
    const watchful = await openS3(fake, { ...PATIENT, stallMs: 6_000 });
    const chunks = watchful.read('operation/2-x', { start: 0, end: large.length - 1 });
    expect(await lengthReadSlowly(chunks, 7_000)).toBe(large.length);
  });

  it('is unavailable while a server is away, and works when it is back', async () => {
    await fake.stop();
    expect(await codeOf(read())).toBe('STORAGE_UNAVAILABLE');
    await fake.listen();
    expect((await read()).equals(bytes)).toBe(true);
  });

  it('leaves no parts of an upload whose parts are refused', async () => {
    fake.mood = 'refusingParts';
    expect(await codeOf(storage.write('operation/1-x', chunked(randomBytes(LARGE_BYTES), 100_000)))).toBe(
      'STORAGE_UNAVAILABLE',
    );
    expect(fake.uploads.size).toBe(0);
    expect(fake.objects.size).toBe(1);
  });

  it('sends parts of 8 MiB, two at a time, while the content waits', async () => {
    let flying = 0;
    let most = 0;
    let produced = 0;
    let accepted = 0;
    let mostAhead = 0;
    fake.onRequest = async (call) => {
      if (call !== 'UploadPart') return;
      most = Math.max(most, ++flying);
      // The first stays until the second is there, however long that takes; then a third would have time to come.
      await eventually('two are on their way', () => most >= 2);
      await acceptance();
      accepted++;
      flying--;
    };
    async function* content(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 48; i++) {
        yield Promise.resolve(Buffer.alloc(1024 * 1024));
        produced++;
        mostAhead = Math.max(mostAhead, produced - accepted * 8);
      }
    }
    await storage.write('operation/1-x', content());
    expect(most).toBe(2);
    expect(fake.largestBody).toBe(8 * 1024 * 1024);
    expect(mostAhead).toBeLessThanOrEqual(3 * 8 + 2);
  });

  it('removes an object whose upload was given up while it was sent', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    fake.onRequest = (call) => {
      if (call === 'PutObject') controller.abort(reason);
    };
    await expect(
      storage.write('operation/1-x', chunked(bytes, 1000), { signal: controller.signal }),
    ).rejects.toBe(reason);
    // Of a call it is known before it is done.
    await eventually(
      'it is removed',
      () => fake.calls.at(-1) === 'DeleteObject' && !fake.objects.has('some/prefix/operation/1-x'),
    );
    expect([...fake.objects.keys()]).toEqual([`some/prefix/${key}`]);
  });

  it('needs a region', async () => {
    const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
    delete process.env['AWS_REGION'];
    delete process.env['AWS_DEFAULT_REGION'];
    onCleanup(() => void Object.assign(process.env, { AWS_REGION, AWS_DEFAULT_REGION }));
    const location = parseStorageUrl('s3://bucket/prefix');
    if (location.kind !== 's3') throw new Error('not a URL of S3');
    await expect(S3Storage.open(location)).rejects.toThrow(/EXPORT_STORAGE_URL needs a region/);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { crc32, gunzipSync } from 'node:zlib';
import { type ByteRange, ExportStorage } from '../../../exports/storage/export-storage.js';
import { compress } from '../../../exports/storage/gzip-stream.js';
import { type ExportedFile, type FileForm, gzipBytesOf, readFile, skippedBefore } from './exported-file.js';

/** Pieces in memory, read a few bytes at a time. */
class MemoryStorage extends ExportStorage {
  readonly location = 'memory';
  readonly pieces = new Map<string, Buffer>();

  async *read(key: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array, void> {
    const piece = this.pieces.get(key) ?? Buffer.alloc(0);
    for (let at = start; at <= end; at += 3) {
      yield Promise.resolve(piece.subarray(at, Math.min(at + 3, end + 1)));
    }
  }

  write = (): never => {
    throw new Error('not written to');
  };
  list = this.write;
  removeAll = this.write;
}

const texts = fc.array(fc.string({ minLength: 1, maxLength: 30 }), { maxLength: 6 });

async function store(pieces: readonly string[]) {
  const storage = new MemoryStorage();
  const content = Buffer.from(pieces.join(''));
  const stored = await Promise.all(
    pieces.map(async (text, index) => {
      const plain = Buffer.from(text);
      const bytes = await compress(plain);
      storage.pieces.set(`${index}`, bytes);
      return { storageKey: `${index}`, bytes: plain.length, storedBytes: bytes.length };
    }),
  );
  const file: ExportedFile = {
    operationId: 'id',
    bytes: content.length,
    pieces: stored,
    crc: crc32(content),
  };
  const read = async (form: FileForm, range: ByteRange): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    const { signal } = new AbortController();
    for await (const chunk of readFile(file, { form, range, storage, signal })) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  return { storage, file, content, read };
}

describe(skippedBefore.name, () => {
  const file: ExportedFile = {
    operationId: 'id',
    bytes: 30,
    pieces: [10, 20].map((bytes, i) => ({ storageKey: `${i}`, bytes, storedBytes: 5 })),
    crc: 0,
  };

  it.each([
    [0, 0],
    [9, 9],
    [10, 0],
    [29, 19],
  ])('counts from the beginning of its piece: %i', (start, skipped) => {
    expect(skippedBefore(file, 'plain', { start, end: 29 })).toBe(skipped);
    expect(skippedBefore(file, 'gzip', { start, end: 29 })).toBe(0);
  });
});

describe(readFile.name, () => {
  it('gives each byte of a range once and in order', () =>
    fc.assert(
      fc.asyncProperty(texts, fc.nat({ max: 90 }), fc.nat({ max: 90 }), async (pieces, a, b) => {
        const { content, read } = await store(pieces);
        const [start = 0, end = 0] = [a, b].sort((x, y) => x - y);
        expect(await read('plain', { start, end })).toEqual(content.subarray(start, end + 1));
      }),
    ));

  it('gives a gzip file of one member, and any range of it', () =>
    fc.assert(
      fc.asyncProperty(texts, fc.nat(), fc.nat(), async (pieces, a, b) => {
        const { file, content, read } = await store(pieces);
        const length = gzipBytesOf(file);
        const whole = await read('gzip', { start: 0, end: length - 1 });
        expect(whole.length).toBe(length);
        expect(gunzipSync(whole)).toEqual(content);
        const [start = 0, end = 0] = [a % length, b % length].sort((x, y) => x - y);
        expect(await read('gzip', { start, end })).toEqual(whole.subarray(start, end + 1));
      }),
    ));

  it.each([
    ['is shorter than it was', (stored: Buffer) => stored.subarray(0, 10)],
    ['is another', () => Buffer.alloc(1_000, 0xff)],
  ])('fails at a compressed piece that %s', async (_, spoil) => {
    const { storage, content, read } = await store(['abcdefgh'.repeat(100)]);
    storage.pieces.set('0', spoil(storage.pieces.get('0') ?? Buffer.alloc(0)));
    await expect(read('plain', { start: 0, end: content.length - 1 })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    });
  });
});

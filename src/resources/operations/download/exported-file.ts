import { expand, GZIP_HEADER, gzipTrailer } from '../../../exports/storage/gzip-stream.js';
import {
  type ByteRange,
  type ExportStorage,
  ExportStorageError,
} from '../../../exports/storage/export-storage.js';

/** One stored piece of a file. */
interface FilePiece {
  readonly storageKey: string;
  /** Of the file. */
  readonly bytes: number;
  /** Of the piece of the gzip stream that is stored. */
  readonly storedBytes: number;
}

export interface ExportedFile {
  readonly operationId: string;
  readonly bytes: number;
  readonly pieces: readonly FilePiece[];
  /** Checksum of the file, whose pieces are those of one gzip stream. */
  readonly crc: number;
}

/** The file as it is, or as gzip. */
export type FileForm = 'plain' | 'gzip';

/** A stretch of what is sent. */
interface Segment {
  readonly length: number;
  readonly read: (range: ByteRange) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Bytes of the file as gzip, as it is stored. */
export function gzipBytesOf({ pieces, crc }: ExportedFile): number {
  const stored = pieces.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
  return GZIP_HEADER.length + stored + gzipTrailer({ crc, bytes: 0 }).length;
}

/** Bytes that have to be read and thrown away before a range, since its piece can only be expanded from its beginning. */
export function skippedBefore({ pieces }: ExportedFile, form: FileForm, { start }: ByteRange): number {
  if (form === 'gzip') return 0;
  let skipped = start;
  for (const { bytes } of pieces) {
    if (skipped < bytes) break;
    skipped -= bytes;
  }
  return skipped;
}

/** The bytes of a range of the file in that form. Throws ExportStorageError when they are not there. */
export async function* readFile(
  file: ExportedFile,
  {
    form,
    range,
    storage,
    signal,
  }: { form: FileForm; range: ByteRange; storage: ExportStorage; signal: AbortSignal },
): AsyncGenerator<Uint8Array, void> {
  const stored: ReadStored = (key, bytes) => storage.read(key, bytes, { signal });
  let at = 0;
  for (const { length, read } of form === 'gzip' ? gzipSegments(file, stored) : plainSegments(file, stored)) {
    const first = Math.max(range.start - at, 0);
    const last = Math.min(range.end - at, length - 1);
    if (first <= last) yield* read({ start: first, end: last });
    at += length;
  }
}

type ReadStored = (storageKey: string, range: ByteRange) => AsyncIterable<Uint8Array>;

function plainSegments({ pieces }: ExportedFile, stored: ReadStored): Segment[] {
  return pieces.map(({ storageKey, bytes, storedBytes }) => ({
    length: bytes,
    read: (range) => within(expand(stored(storageKey, { start: 0, end: storedBytes - 1 })), range),
  }));
}

function gzipSegments({ pieces, bytes, crc }: ExportedFile, stored: ReadStored): Segment[] {
  return [
    segmentOf(GZIP_HEADER),
    ...pieces.map(({ storageKey, storedBytes }) => ({
      length: storedBytes,
      read: (range: ByteRange) => stored(storageKey, range),
    })),
    segmentOf(gzipTrailer({ crc, bytes })),
  ];
}

function segmentOf(bytes: Buffer): Segment {
  return { length: bytes.length, read: ({ start, end }) => [bytes.subarray(start, end + 1)] };
}

/** A shorter content must not pass for the whole. */
async function* within(
  content: AsyncIterable<Buffer>,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array, void> {
  let at = 0;
  for await (const chunk of content) {
    const wanted = chunk.subarray(Math.max(start - at, 0), end + 1 - at);
    if (wanted.length > 0) yield wanted;
    at += chunk.length;
    if (at > end) return;
  }
  throw new ExportStorageError('STORAGE_UNAVAILABLE', `only ${at} bytes came, where ${end + 1} were written`);
}

import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createInflateRaw, deflateRaw } from 'node:zlib';
import { ExportStorageError } from './export-storage.js';

/**
 * A file that is stored in pieces of one gzip stream (RFC 1952). Each piece ends on a byte and refers to nothing before itself, so
 * that a file can be cut behind any of them and each can be expanded alone; header, pieces and trailer are the whole file as
 * gzip. It is one member, as browsers read no more than the first.
 */

/** Most of a row are hashes and addresses: level 6 takes 1.7 times as long and saves another twentieth. */
const LEVEL = 1;
/** Looks back over 8 KB, as what repeats does so within some rows: of the usual 32 KB the search costs two fifths more, for the same size. */
const WINDOW_BITS = 13;
const { Z_SYNC_FLUSH } = constants;
/** Of what comes out; by the 16 KB of zlib's own, passing them on costs as much as expanding them. */
const CHUNK_BYTES = 256 * 1024;

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);

/** Deflated, without a time, a name, or the system that made it. */
export const GZIP_HEADER: Buffer = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

const EMPTY_LAST_BLOCK = [3, 0];

/** End of the stream: checksum (CRC-32) and size of its content. */
export function gzipTrailer({ crc, bytes }: { crc: number; bytes: number }): Buffer {
  const trailer = Buffer.alloc(10);
  trailer.set(EMPTY_LAST_BLOCK);
  trailer.writeUInt32LE(crc, 2);
  trailer.writeUInt32LE(bytes % 2 ** 32, 6);
  return trailer;
}

/** A piece of the stream. */
export function compress(content: Buffer): Promise<Buffer> {
  return deflate(content, {
    level: LEVEL,
    windowBits: WINDOW_BITS,
    chunkSize: CHUNK_BYTES,
    finishFlush: Z_SYNC_FLUSH,
  });
}

/** Content of some consecutive pieces. Throws ExportStorageError also when they are none. */
export async function* expand(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  const inflate = createInflateRaw({ finishFlush: Z_SYNC_FLUSH, chunkSize: CHUNK_BYTES });
  // Its failure is that of the last stream, which is read here.
  pipeline(Readable.from(pieces, { objectMode: false }), inflate, () => undefined);
  try {
    for await (const chunk of inflate) if (Buffer.isBuffer(chunk)) yield chunk;
  } catch (error) {
    if (!isDataError(error)) throw error;
    throw new ExportStorageError('STORAGE_UNAVAILABLE', 'stored bytes are not those that were written', {
      cause: error,
    });
  }
}

/** `instanceof Error` depends on the realm that the error comes from. */
function isDataError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && /^Z_/.test(String(error.code));
}

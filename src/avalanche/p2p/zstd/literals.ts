import { decodeHuffmanStream, readHuffmanTable, type HuffmanTable } from './huffman.js';
import { invalidCompression } from './zstd.error.js';

/** Most bytes that one block, and so its literals, may stand for (RFC 8878, 3.1.1.2.4). */
export const MAX_BLOCK_BYTES = 128 * 1024;

const JUMP_TABLE_BYTES = 6;

export interface Literals {
  readonly bytes: Uint8Array;
  readonly usedBytes: number;
  /** Tree for later blocks of the frame that name none. */
  readonly table: HuffmanTable | undefined;
}

/** Reads the literals section of a compressed block (RFC 8878, 3.1.1.3.1). */
export function readLiterals(block: Uint8Array, previousTable: HuffmanTable | undefined): Literals {
  const header = block[0] ?? 0;
  const isCompressed = (header & 2) !== 0;
  return isCompressed ? readCompressed(block, previousTable) : readPlain(block, previousTable);
}

function readPlain(block: Uint8Array, table: HuffmanTable | undefined): Literals {
  const header = block[0] ?? 0;
  const sizeFormat = (header >> 2) & 3;
  const headerBytes = (sizeFormat & 1) === 0 ? 1 : sizeFormat === 1 ? 2 : 3;
  const size = readLittleEndian(block, 0, headerBytes) >>> (headerBytes === 1 ? 3 : 4);
  const isRepeatedByte = (header & 1) === 1;
  const usedBytes = headerBytes + (isRepeatedByte ? 1 : size);
  if (size > MAX_BLOCK_BYTES || usedBytes > block.length) {
    throw invalidCompression('literals end early');
  }
  const bytes = isRepeatedByte
    ? new Uint8Array(size).fill(block[headerBytes] ?? 0)
    : block.subarray(headerBytes, usedBytes);
  return { bytes, usedBytes, table };
}

function readCompressed(block: Uint8Array, previousTable: HuffmanTable | undefined): Literals {
  const sizeFormat = ((block[0] ?? 0) >> 2) & 3;
  const headerBytes = sizeFormat < 2 ? 3 : sizeFormat + 2;
  const sizeBits = sizeFormat < 2 ? 10 : sizeFormat === 2 ? 14 : 18;
  const sizes = Math.floor(readLittleEndian(block, 0, headerBytes) / 16);
  const size = sizes % 2 ** sizeBits;
  const usedBytes = headerBytes + Math.floor(sizes / 2 ** sizeBits);
  if (size > MAX_BLOCK_BYTES || usedBytes > block.length) {
    throw invalidCompression('literals end early');
  }
  let streams = block.subarray(headerBytes, usedBytes);
  let table = previousTable;
  if (((block[0] ?? 0) & 1) === 0) {
    const tree = readHuffmanTable(streams);
    table = tree.table;
    streams = streams.subarray(tree.usedBytes);
  }
  if (table === undefined) {
    throw invalidCompression('literals refer to a tree that was never sent');
  }
  const bytes = new Uint8Array(size);
  if (sizeFormat === 0) {
    decodeHuffmanStream(table, streams, bytes);
  } else {
    decodeFourStreams(table, streams, bytes);
  }
  return { bytes, usedBytes, table };
}

/** Four streams of equal output, the last one shorter; the sizes of the first three come first. */
function decodeFourStreams(table: HuffmanTable, streams: Uint8Array, target: Uint8Array): void {
  const quarter = (target.length + 3) >> 2;
  let start = JUMP_TABLE_BYTES;
  for (let i = 0; i < 4; i++) {
    const end = i < 3 ? start + readLittleEndian(streams, 2 * i, 2) : streams.length;
    if (start >= end || end > streams.length || quarter * 3 > target.length) {
      throw invalidCompression('a literals stream ends early');
    }
    decodeHuffmanStream(
      table,
      streams.subarray(start, end),
      target.subarray(i * quarter, i < 3 ? (i + 1) * quarter : undefined),
    );
    start = end;
  }
}

/** Unsigned integer of up to six bytes; bytes after the end count as zero. */
export function readLittleEndian(bytes: Uint8Array, offset: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) {
    value = value * 256 + (bytes[offset + i] ?? 0);
  }
  return value;
}

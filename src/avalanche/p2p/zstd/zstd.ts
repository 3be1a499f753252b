import { P2pError } from '../p2p.error.js';
import type { HuffmanTable } from './huffman.js';
import { MAX_BLOCK_BYTES, readLiterals, readLittleEndian } from './literals.js';
import { Output } from './output.js';
import { executeSequences, type SequenceHistory } from './sequences.js';
import { invalidCompression } from './zstd.error.js';

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const MAGIC_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;

/**
 * Blocks that an input may have for nothing, and the output that each further one must stand for: a block may bring
 * tables that cost far more to build than the bytes that describe them. Encoders write blocks of 128 KiB, and split
 * them, if at all, into parts of some kilobytes.
 */
const FREE_BLOCKS = 16;
const MIN_BYTES_PER_BLOCK = 256;

/**
 * Decompresses zstd frames (RFC 8878) with work and memory bounded by `maxBytes` and the input's length, whatever the input claims: the
 * window is the output, so a declared window size costs nothing.
 *
 * Written here because Node has zstd only from 22.15 on, and 20.19 is supported. Node's decoder can bound the output and the window
 * (`maxOutputLength`, `ZSTD_d_windowLogMax`), but passes over bytes behind a frame and does not report how much it made before an error. The
 * JavaScript decoder of the registry (fzstd 0.1.1) trusts its input: it works for seconds on a hostile frame of 18 bytes. Dictionaries are
 * refused; a content checksum is skipped, for the connection has authenticated the bytes already.
 *
 * @param onExpanded gets the number of bytes that were made, in the case of an error too
 * Throws P2pError `INVALID_COMPRESSION`, or `MESSAGE_TOO_LARGE` when more than `maxBytes` would come out.
 */
export function decompressZstd(
  input: Uint8Array,
  maxBytes: number,
  onExpanded?: (byteCount: number) => void,
): Uint8Array {
  const output = new Output(maxBytes);
  const count = { blocks: 0 };
  let offset = 0;
  try {
    do {
      offset += readFrame(input.subarray(offset), output, count, maxBytes);
    } while (offset < input.length);
    return output.toBytes();
  } finally {
    onExpanded?.(output.length);
  }
}

function readFrame(input: Uint8Array, output: Output, count: { blocks: number }, maxBytes: number): number {
  const magic = readLittleEndian(input, 0, MAGIC_BYTES);
  countBlock(count, output);
  if (Math.floor(magic / 16) * 16 === SKIPPABLE_MAGIC) {
    const end = 2 * MAGIC_BYTES + readLittleEndian(input, MAGIC_BYTES, 4);
    return requireLength(input, end);
  }
  if (magic !== FRAME_MAGIC) {
    throw invalidCompression('wrong magic number');
  }
  const header = readFrameHeader(input);
  if (header.contentBytes !== undefined && output.length + header.contentBytes > maxBytes) {
    throw new P2pError('MESSAGE_TOO_LARGE', `a message declares ${header.contentBytes} bytes`);
  }
  const start = output.length;
  const end = readBlocks(input, header.headerBytes, output, count);
  if (header.contentBytes !== undefined && header.contentBytes !== output.length - start) {
    throw invalidCompression('the content has another size than declared');
  }
  return requireLength(input, end + (header.hasChecksum ? CHECKSUM_BYTES : 0));
}

interface FrameHeader {
  readonly headerBytes: number;
  readonly contentBytes: number | undefined;
  readonly hasChecksum: boolean;
}

/** RFC 8878, 3.1.1.1. */
function readFrameHeader(input: Uint8Array): FrameHeader {
  const descriptor = input[MAGIC_BYTES] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? Number(isSingleSegment) : 1 << sizeFlag;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const dictionaryOffset = MAGIC_BYTES + (isSingleSegment ? 1 : 2);
  const sizeOffset = dictionaryOffset + dictionaryBytes;
  const headerBytes = requireLength(input, sizeOffset + sizeBytes);
  if ((descriptor & 8) !== 0 || readLittleEndian(input, dictionaryOffset, dictionaryBytes) !== 0) {
    throw invalidCompression('a reserved bit or a dictionary');
  }
  const size = readLittleEndian(input, sizeOffset, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  return {
    headerBytes,
    contentBytes: sizeBytes === 0 ? undefined : size,
    hasChecksum: (descriptor & 4) !== 0,
  };
}

/** Returns where the last block ended. */
function readBlocks(
  input: Uint8Array,
  firstBlock: number,
  output: Output,
  count: { blocks: number },
): number {
  const windowStart = output.length;
  const history: SequenceHistory = { tables: undefined, recentOffsets: [1, 4, 8] };
  let huffmanTable: HuffmanTable | undefined;
  let offset = firstBlock;
  for (;;) {
    countBlock(count, output);
    const header = readLittleEndian(input, offset, BLOCK_HEADER_BYTES);
    offset = requireLength(input, offset + BLOCK_HEADER_BYTES);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    const end = requireLength(input, offset + (type === 1 ? 1 : size));
    if (type === 3 || size > MAX_BLOCK_BYTES) {
      throw invalidCompression('a block of an unknown kind or size');
    }
    const block = input.subarray(offset, end);
    if (type === 0) {
      output.append(block);
    } else if (type === 1) {
      output.appendRepeated(block[0] ?? 0, size);
    } else {
      const literals = readLiterals(block, huffmanTable);
      huffmanTable = literals.table;
      executeSequences(block.subarray(literals.usedBytes), literals.bytes, history, output, windowStart);
    }
    offset = end;
    if ((header & 1) === 1) {
      return offset;
    }
  }
}

function countBlock(count: { blocks: number }, output: Output): void {
  count.blocks += 1;
  if (count.blocks > FREE_BLOCKS + output.length / MIN_BYTES_PER_BLOCK) {
    throw invalidCompression('too many blocks for their content');
  }
}

function requireLength(input: Uint8Array, end: number): number {
  if (end > input.length) {
    throw invalidCompression('it ends early');
  }
  return end;
}

/** A zstd frame that holds `content` uncompressed (raw blocks); every decoder accepts it. */
export function packStoredZstd(content: Uint8Array): Uint8Array {
  const header = new Uint8Array(MAGIC_BYTES + 1 + 4);
  const view = new DataView(header.buffer);
  view.setUint32(0, FRAME_MAGIC, true);
  view.setUint8(MAGIC_BYTES, 0xa0); // single segment, four bytes of content size
  view.setUint32(MAGIC_BYTES + 1, content.length, true);
  const parts: Uint8Array[] = [header];
  let offset = 0;
  do {
    const block = content.subarray(offset, offset + MAX_BLOCK_BYTES);
    offset += block.length;
    const blockHeader = (block.length << 3) | Number(offset === content.length);
    parts.push(Uint8Array.of(blockHeader & 0xff, (blockHeader >> 8) & 0xff, blockHeader >> 16), block);
  } while (offset < content.length);
  return Buffer.concat(parts);
}

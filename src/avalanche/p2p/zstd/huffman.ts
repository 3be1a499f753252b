import { BackwardBitReader, highestBit } from './bit-reader.js';
import { FseState, readFseTable } from './fse-table.js';
import { invalidCompression } from './zstd.error.js';

const MAX_CODE_BITS = 11;
const MAX_WEIGHT_ACCURACY_LOG = 6;
const MAX_SYMBOL = 255;

/** For every sequence of `maxBits` bits: the symbol whose code it starts with, and how long that code is. */
export interface HuffmanTable {
  readonly maxBits: number;
  readonly symbols: Uint8Array;
  readonly bitCounts: Uint8Array;
}

/** Reads a Huffman tree description (RFC 8878, 4.2.1) from the front of `bytes`. */
export function readHuffmanTable(bytes: Uint8Array): { table: HuffmanTable; usedBytes: number } {
  const header = bytes[0];
  if (header === undefined) {
    throw invalidCompression('a tree description is missing');
  }
  const weightCount = header - 127;
  const usedBytes = 1 + (header < 128 ? header : (weightCount + 1) >> 1);
  if (usedBytes > bytes.length) {
    throw invalidCompression('a tree description ends early');
  }
  const description = bytes.subarray(1, usedBytes);
  const weights =
    header < 128 ? readCompressedWeights(description) : readPlainWeights(description, weightCount);
  return { table: makeHuffmanTable(weights), usedBytes };
}

function readPlainWeights(bytes: Uint8Array, count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const pair = bytes[i >> 1] ?? 0;
    return i % 2 === 0 ? pair >> 4 : pair & 15;
  });
}

/** Two states take turns until the bits run out; the state that did not run out still holds the last weight. */
function readCompressedWeights(bytes: Uint8Array): number[] {
  const { table, usedBytes } = readFseTable(bytes, {
    maxAccuracyLog: MAX_WEIGHT_ACCURACY_LOG,
    maxSymbol: MAX_SYMBOL,
  });
  const reader = new BackwardBitReader(bytes.subarray(usedBytes));
  let current = new FseState(table, reader);
  let other = new FseState(table, reader);
  const weights: number[] = [];
  while (weights.length < MAX_SYMBOL) {
    weights.push(current.symbol);
    current.advance();
    if (reader.remaining < 0) {
      weights.push(other.symbol);
      return weights;
    }
    [current, other] = [other, current];
  }
  throw invalidCompression('a tree has too many weights');
}

/** The last weight is not written: it is what fills the tree. */
function makeHuffmanTable(weights: number[]): HuffmanTable {
  if (weights.length > MAX_SYMBOL || weights.some((weight) => weight > MAX_CODE_BITS)) {
    throw invalidCompression('a tree has impossible weights');
  }
  const sum = weights.reduce((total, weight) => total + (weight === 0 ? 0 : 1 << (weight - 1)), 0);
  const maxBits = sum === 0 ? 0 : highestBit(sum) + 1;
  const missing = (1 << maxBits) - sum;
  if (sum === 0 || maxBits > MAX_CODE_BITS || (missing & (missing - 1)) !== 0) {
    throw invalidCompression('a tree is not complete');
  }
  return fillTable(maxBits, [...weights, highestBit(missing) + 1]);
}

/** Codes are given out from the longest (weight 1) to the shortest, in the order of the symbols. */
function fillTable(maxBits: number, weights: readonly number[]): HuffmanTable {
  const symbols = new Uint8Array(1 << maxBits);
  const bitCounts = new Uint8Array(1 << maxBits);
  let position = 0;
  for (let weight = 1; weight <= maxBits; weight++) {
    const span = 1 << (weight - 1);
    for (let symbol = 0; symbol < weights.length; symbol++) {
      if (weights[symbol] === weight) {
        symbols.fill(symbol, position, position + span);
        bitCounts.fill(maxBits + 1 - weight, position, position + span);
        position += span;
      }
    }
  }
  return { maxBits, symbols, bitCounts };
}

/** Decodes one stream, which must fill `target` with its very last bit. */
export function decodeHuffmanStream(table: HuffmanTable, bytes: Uint8Array, target: Uint8Array): void {
  const reader = new BackwardBitReader(bytes);
  for (let i = 0; i < target.length; i++) {
    const prefix = reader.peek(table.maxBits);
    target[i] = table.symbols[prefix] ?? 0;
    reader.skip(table.bitCounts[prefix] ?? 0);
  }
  if (reader.remaining !== 0) {
    throw invalidCompression('a literals stream has another length');
  }
}

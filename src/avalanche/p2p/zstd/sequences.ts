import { BackwardBitReader } from './bit-reader.js';
import { FseState, makeConstantTable, makeFseTable, readFseTable, type FseTable } from './fse-table.js';
import { MAX_BLOCK_BYTES, readLittleEndian } from './literals.js';
import type { Output } from './output.js';
import { invalidCompression } from './zstd.error.js';

/** One of the three alphabets that a sequence is written in (RFC 8878, 3.1.1.3.2.2 for the default tables). */
interface Alphabet {
  readonly maxAccuracyLog: number;
  readonly maxSymbol: number;
  readonly defaultTable: FseTable;
}

const LITERAL_LENGTHS: Alphabet = {
  maxAccuracyLog: 9,
  maxSymbol: 35,
  defaultTable: makeFseTable(
    6,
    [
      4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
      -1, -1,
    ],
  ),
};
const OFFSETS: Alphabet = {
  maxAccuracyLog: 8,
  maxSymbol: 31,
  defaultTable: makeFseTable(
    5,
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
  ),
};
const MATCH_LENGTHS: Alphabet = {
  maxAccuracyLog: 9,
  maxSymbol: 52,
  defaultTable: makeFseTable(
    6,
    [
      1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
  ),
};

/** Extra bits by code; the smallest length of a code is where the one before it ends. */
const LITERAL_LENGTH_BITS = [
  ...Array<number>(16).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
];
const MATCH_LENGTH_BITS = [
  ...Array<number>(32).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
];
const LITERAL_LENGTH_BASELINES = makeBaselines(LITERAL_LENGTH_BITS, 0);
const MATCH_LENGTH_BASELINES = makeBaselines(MATCH_LENGTH_BITS, 3);

function makeBaselines(bits: readonly number[], first: number): number[] {
  let next = first;
  return bits.map((count) => {
    const baseline = next;
    next += 1 << count;
    return baseline;
  });
}

interface SequenceTables {
  readonly literalLengths: FseTable;
  readonly offsets: FseTable;
  readonly matchLengths: FseTable;
}

/** State that a block inherits from the blocks before it in its frame. */
export interface SequenceHistory {
  tables: SequenceTables | undefined;
  /** The three latest offsets, newest first. */
  recentOffsets: [number, number, number];
}

/** Reads the sequences section (RFC 8878, 3.1.1.3.2) and carries it out, appending the block to `output`. */
export function executeSequences(
  section: Uint8Array,
  literals: Uint8Array,
  history: SequenceHistory,
  output: Output,
  windowStart: number,
): void {
  const { count, usedBytes } = readSequenceCount(section);
  if (count === 0) {
    if (usedBytes !== section.length) {
      throw invalidCompression('bytes follow the last sequence');
    }
    output.append(literals);
    return;
  }
  const { tables, usedBytes: tableBytes } = readTables(section.subarray(usedBytes), history.tables);
  history.tables = tables;
  const reader = new BackwardBitReader(section.subarray(usedBytes + tableBytes));
  runSequences({ count, reader, tables, literals, history, output, windowStart });
}

function readSequenceCount(section: Uint8Array): { count: number; usedBytes: number } {
  const [first = 0, second = 0, third = 0] = section;
  const [count, usedBytes] =
    first < 128
      ? [first, 1]
      : first < 255
        ? [((first - 128) << 8) + second, 2]
        : [second + (third << 8) + 0x7f00, 3];
  if (usedBytes > section.length) {
    throw invalidCompression('sequences are missing');
  }
  return { count, usedBytes };
}

function readTables(
  bytes: Uint8Array,
  previous: SequenceTables | undefined,
): { tables: SequenceTables; usedBytes: number } {
  const modes = bytes[0] ?? 0;
  if ((modes & 3) !== 0) {
    throw invalidCompression('a reserved bit is set');
  }
  let usedBytes = 1;
  const read = (mode: number, alphabet: Alphabet, last: FseTable | undefined): FseTable => {
    const result = readTable(mode, alphabet, last, bytes.subarray(usedBytes));
    usedBytes += result.usedBytes;
    return result.table;
  };
  const literalLengths = read(modes >> 6, LITERAL_LENGTHS, previous?.literalLengths);
  const offsets = read((modes >> 4) & 3, OFFSETS, previous?.offsets);
  const matchLengths = read((modes >> 2) & 3, MATCH_LENGTHS, previous?.matchLengths);
  return { tables: { literalLengths, offsets, matchLengths }, usedBytes };
}

function readTable(
  mode: number,
  alphabet: Alphabet,
  previous: FseTable | undefined,
  bytes: Uint8Array,
): { table: FseTable; usedBytes: number } {
  if (mode === 0) {
    return { table: alphabet.defaultTable, usedBytes: 0 };
  }
  if (mode === 2) {
    return readFseTable(bytes, alphabet);
  }
  const symbol = readLittleEndian(bytes, 0, 1);
  const table = mode === 3 ? previous : makeConstantTable(symbol);
  if (table === undefined || (mode === 1 && (symbol > alphabet.maxSymbol || bytes.length === 0))) {
    throw invalidCompression('a sequence table is missing');
  }
  return { table, usedBytes: mode === 3 ? 0 : 1 };
}

interface Run {
  count: number;
  reader: BackwardBitReader;
  tables: SequenceTables;
  literals: Uint8Array;
  history: SequenceHistory;
  output: Output;
  windowStart: number;
}

function runSequences({ count, reader, tables, literals, history, output, windowStart }: Run): void {
  const blockStart = output.length;
  const literalLengths = new FseState(tables.literalLengths, reader);
  const offsets = new FseState(tables.offsets, reader);
  const matchLengths = new FseState(tables.matchLengths, reader);
  let usedLiterals = 0;
  for (let i = 0; i < count; i++) {
    const offsetCode = offsets.symbol;
    const offsetValue = 2 ** offsetCode + reader.read(offsetCode);
    const matchLength = readLength(reader, matchLengths.symbol, MATCH_LENGTH_BASELINES, MATCH_LENGTH_BITS);
    const literalLength = readLength(
      reader,
      literalLengths.symbol,
      LITERAL_LENGTH_BASELINES,
      LITERAL_LENGTH_BITS,
    );
    if (i < count - 1) {
      literalLengths.advance();
      matchLengths.advance();
      offsets.advance();
    }
    // Tested for every sequence: bits that are not there must not become work.
    const blockBytes = output.length - blockStart + literalLength + matchLength;
    if (
      reader.remaining < 0 ||
      blockBytes > MAX_BLOCK_BYTES ||
      usedLiterals + literalLength > literals.length
    ) {
      throw invalidCompression('a sequence ends early');
    }
    output.append(literals.subarray(usedLiterals, usedLiterals + literalLength));
    usedLiterals += literalLength;
    output.copyBack(resolveOffset(history, offsetValue, literalLength), matchLength, windowStart);
  }
  if (reader.remaining !== 0) {
    throw invalidCompression('bits follow the last sequence');
  }
  output.append(literals.subarray(usedLiterals));
}

function readLength(
  reader: BackwardBitReader,
  code: number,
  baselines: readonly number[],
  bits: readonly number[],
): number {
  return (baselines[code] ?? 0) + reader.read(bits[code] ?? 0);
}

/** Values 1 to 3 name one of the recent offsets; without literals before the match they are shifted by one. */
function resolveOffset(history: SequenceHistory, value: number, literalLength: number): number {
  const [first, second, third] = history.recentOffsets;
  if (value > 3) {
    history.recentOffsets = [value - 3, first, second];
    return value - 3;
  }
  const index = value - 1 + (literalLength === 0 ? 1 : 0);
  if (index === 0) {
    return first;
  }
  const offset = index === 1 ? second : index === 2 ? third : first - 1;
  history.recentOffsets = [offset, first, index === 1 ? third : second];
  return offset;
}

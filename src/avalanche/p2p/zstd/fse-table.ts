import { ForwardBitReader, highestBit, type BackwardBitReader } from './bit-reader.js';
import { invalidCompression } from './zstd.error.js';

/** Decoding table of finite state entropy: what each state stands for and how the next one is found. */
export interface FseTable {
  readonly accuracyLog: number;
  readonly symbols: Uint8Array;
  readonly bitCounts: Uint8Array;
  readonly baselines: Uint16Array;
}

/** One symbol with certainty, without reading a bit. */
export function makeConstantTable(symbol: number): FseTable {
  return {
    accuracyLog: 0,
    symbols: Uint8Array.of(symbol),
    bitCounts: Uint8Array.of(0),
    baselines: Uint16Array.of(0),
  };
}

/** Reads a table description (RFC 8878, 4.1.1) from the front of `bytes`. `usedBytes` is where it ended. */
export function readFseTable(
  bytes: Uint8Array,
  limits: { maxAccuracyLog: number; maxSymbol: number },
): { table: FseTable; usedBytes: number } {
  const reader = new ForwardBitReader(bytes);
  const accuracyLog = reader.read(4) + 5;
  if (accuracyLog > limits.maxAccuracyLog) {
    throw invalidCompression('a table is too accurate');
  }
  const probabilities: number[] = [];
  let rest = 1 << accuracyLog;
  while (rest > 0) {
    const probability = readProbability(reader, rest);
    rest -= Math.abs(probability);
    probabilities.push(probability);
    if (probability === 0) {
      pushRepeatedZeros(reader, probabilities, limits.maxSymbol);
    }
    if (rest < 0 || probabilities.length > limits.maxSymbol + 1) {
      throw invalidCompression('a table does not add up');
    }
  }
  return { table: makeFseTable(accuracyLog, probabilities), usedBytes: reader.usedBytes };
}

/** A value in 0..rest+1 in as few bits as that range allows, minus one; -1 means "less than one". */
function readProbability(reader: ForwardBitReader, rest: number): number {
  const bits = highestBit(rest + 1) + 1;
  const shortMask = (1 << (bits - 1)) - 1;
  const shortValues = (1 << bits) - 1 - (rest + 1);
  const value = reader.peek(bits);
  if ((value & shortMask) < shortValues) {
    return reader.read(bits - 1) - 1;
  }
  reader.read(bits);
  return (value > shortMask ? value - shortValues : value) - 1;
}

function pushRepeatedZeros(reader: ForwardBitReader, probabilities: number[], maxSymbol: number): void {
  let repeats = 3;
  while (repeats === 3 && probabilities.length <= maxSymbol + 1) {
    repeats = reader.read(2);
    for (let i = 0; i < repeats; i++) {
      probabilities.push(0);
    }
  }
}

/** Builds the table of a distribution whose probabilities (-1 counting as 1) add up to `2 ** accuracyLog`. */
export function makeFseTable(accuracyLog: number, probabilities: readonly number[]): FseTable {
  const size = 1 << accuracyLog;
  const symbols = spreadSymbols(size, probabilities);
  const bitCounts = new Uint8Array(size);
  const baselines = new Uint16Array(size);
  const nextStates = probabilities.map((probability) => Math.abs(probability));
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state] ?? 0;
    const next = nextStates[symbol] ?? 0;
    nextStates[symbol] = next + 1;
    const bitCount = accuracyLog - highestBit(next);
    bitCounts[state] = bitCount;
    baselines[state] = (next << bitCount) - size;
  }
  return { accuracyLog, symbols, bitCounts, baselines };
}

function spreadSymbols(size: number, probabilities: readonly number[]): Uint8Array {
  const symbols = new Uint8Array(size);
  let lastFree = size - 1;
  probabilities.forEach((probability, symbol) => {
    if (probability === -1) {
      symbols[lastFree] = symbol;
      lastFree -= 1;
    }
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let position = 0;
  probabilities.forEach((probability, symbol) => {
    for (let i = 0; i < probability; i++) {
      symbols[position] = symbol;
      do {
        position = (position + step) & (size - 1);
      } while (position > lastFree);
    }
  });
  return symbols;
}

/** One state walking through a table along a bit stream. */
export class FseState {
  private state: number;

  constructor(
    private readonly table: FseTable,
    private readonly reader: BackwardBitReader,
  ) {
    this.state = reader.read(table.accuracyLog);
  }

  get symbol(): number {
    return this.table.symbols[this.state] ?? 0;
  }

  advance(): void {
    const { baselines, bitCounts } = this.table;
    this.state = (baselines[this.state] ?? 0) + this.reader.read(bitCounts[this.state] ?? 0);
  }
}

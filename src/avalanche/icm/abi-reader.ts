import type { Address, Hash, Hex } from '../evm/rpc/hex-values.js';
import { WORD_BYTES, ADDRESS_PADDING } from '../ids/abi-word.js';

export type AbiProblem =
  /** A value, an offset or a length leads out of the data. */
  | 'OUT_OF_BOUNDS'
  /** An address with something in front of its 20 bytes. */
  | 'ADDRESS_PADDING';

/** The data do not follow the ABI. */
export class AbiError extends Error {
  constructor(readonly problem: AbiProblem) {
    super(problem);
    this.name = AbiError.name;
  }
}

export function addressOfWord(word: string): Address {
  if (!word.startsWith(ADDRESS_PADDING)) throw new AbiError('ADDRESS_PADDING');
  return `0x${word.slice(ADDRESS_PADDING.length)}`;
}

/**
 * The components of one tuple of Solidity's ABI encoding, by their positions in words. The data may be
 * anything: every offset and length is checked against its size before anything is read or allocated. So no result
 * is longer than the data; overlapping lists are accepted, as by Solidity's own decoder.
 */
export class AbiReader {
  constructor(
    private readonly data: Hex,
    /** In bytes, as all positions; offsets within the tuple count from here. */
    private readonly start = 0,
  ) {}

  uint(index: number): bigint {
    return BigInt(this.hash(index));
  }

  address(index: number): Address {
    return addressOfWord(this.word(this.start + index * WORD_BYTES));
  }

  hash(index: number): Hash {
    return `0x${this.word(this.start + index * WORD_BYTES)}`;
  }

  /** A tuple with components of variable length. */
  tuple(index: number): AbiReader {
    return new AbiReader(this.data, this.offset(index));
  }

  /** A tuple, or a single value, without such components. */
  inlined(index: number): AbiReader {
    return new AbiReader(this.data, this.start + index * WORD_BYTES);
  }

  bytes(index: number): Hex {
    const at = this.offset(index);
    const length = this.length(at, 1);
    return `0x${this.digits(at + WORD_BYTES, length)}`;
  }

  /** A list whose items are of a fixed number of words. */
  list<T>(index: number, wordsEach: number, read: (item: AbiReader) => T): T[] {
    const at = this.offset(index);
    const count = this.length(at, wordsEach * WORD_BYTES);
    return Array.from({ length: count }, (_, item) =>
      read(new AbiReader(this.data, at + WORD_BYTES + item * wordsEach * WORD_BYTES)),
    );
  }

  private offset(index: number): number {
    return this.start + this.small(this.start + index * WORD_BYTES, this.size - this.start);
  }

  /** How many items follow that length, for which there is room. */
  private length(at: number, bytesEach: number): number {
    return this.small(at, (this.size - at - WORD_BYTES) / bytesEach);
  }

  private small(at: number, max: number): number {
    const value = Number(BigInt(`0x${this.word(at)}`));
    if (value > max) throw new AbiError('OUT_OF_BOUNDS');
    return value;
  }

  private word(at: number): string {
    return this.digits(at, WORD_BYTES);
  }

  private digits(at: number, length: number): string {
    if (at + length > this.size) throw new AbiError('OUT_OF_BOUNDS');
    const from = 2 + 2 * at;
    return this.data.slice(from, from + 2 * length);
  }

  private get size(): number {
    return (this.data.length - 2) / 2;
  }
}

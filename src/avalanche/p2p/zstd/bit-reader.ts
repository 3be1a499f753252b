import { invalidCompression } from './zstd.error.js';

/** Position of the highest set bit of a positive integer. */
export function highestBit(value: number): number {
  return 31 - Math.clz32(value);
}

/** `count` (at most 24) bits from bit `position` on, lowest bit first; bits after the end are zero. */
function bitsAt(bytes: Uint8Array, position: number, count: number): number {
  const index = position >>> 3;
  const word =
    (bytes[index] ?? 0) |
    ((bytes[index + 1] ?? 0) << 8) |
    ((bytes[index + 2] ?? 0) << 16) |
    ((bytes[index + 3] ?? 0) << 24);
  return (word >>> (position & 7)) & ((1 << count) - 1);
}

/** Reads a bit stream from its front (RFC 8878, 4.1.1). */
export class ForwardBitReader {
  private position = 0;

  constructor(private readonly bytes: Uint8Array) {}

  read(count: number): number {
    const value = this.peek(count);
    this.position += count;
    if (this.position > this.bytes.length * 8) {
      throw invalidCompression('a table description ends early');
    }
    return value;
  }

  peek(count: number): number {
    return bitsAt(this.bytes, this.position, count);
  }

  /** Whole bytes touched so far. */
  get usedBytes(): number {
    return (this.position + 7) >>> 3;
  }
}

/**
 * Reads a bit stream from its end (RFC 8878, 4.1). Its last byte starts with zero bits and a one that are no data.
 * Reading beyond the front gives zero bits and leaves `remaining` negative; callers test it where that is an error.
 */
export class BackwardBitReader {
  remaining: number;

  constructor(private readonly bytes: Uint8Array) {
    const last = bytes[bytes.length - 1] ?? 0;
    if (last === 0) {
      throw invalidCompression('a bit stream has no end mark');
    }
    this.remaining = (bytes.length - 1) * 8 + highestBit(last);
  }

  /** Up to 31 bits. */
  read(count: number): number {
    if (count > 24) {
      const high = this.read(count - 16);
      return high * 0x10000 + this.read(16);
    }
    const value = this.peek(count);
    this.remaining -= count;
    return value;
  }

  /** Up to 24 bits, without moving on. */
  peek(count: number): number {
    const start = this.remaining - count;
    if (start >= 0) {
      return bitsAt(this.bytes, start, count);
    }
    return this.remaining <= 0 ? 0 : bitsAt(this.bytes, 0, this.remaining) << -start;
  }

  skip(count: number): void {
    this.remaining -= count;
  }
}

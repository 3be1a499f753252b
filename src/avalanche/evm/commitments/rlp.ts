import { malformed } from '../evm.error.js';

const FIRST_CAPACITY = 64 * 1024;
/** More than any header of a string or list. */
const HEADER_ROOM = 5;
const SHORT_BYTES = 55;
const STRING = 0x80;
const LIST = 0xc0;
/** From here on a call of Node costs less than a loop. */
const LONG_DIGITS = 256;
const NO_DIGIT = 0xff;
const ZERO = '0'.charCodeAt(0);

/** Values of hex digits by their ASCII codes. */
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (let digit = 0; digit < 16; digit += 1) {
  DIGITS[digit.toString(16).charCodeAt(0)] = digit;
  DIGITS[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

/**
 * RLP (Ethereum yellow paper, appendix B) of JSON-RPC values. All of a backfill's blocks pass through here: one buffer is used again and
 * again, digits are read where they stand, and nothing is made for a value of its own.
 */
export class RlpWriter {
  private buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  private end = 0;

  /** How many bytes have been written. */
  get length(): number {
    return this.end;
  }

  /** Valid until the next value is written. */
  get written(): Uint8Array {
    return new Uint8Array(this.buffer.buffer, this.buffer.byteOffset, this.end);
  }

  copy(): Uint8Array {
    return Buffer.from(this.written); // out of a pool
  }

  clear(): void {
    this.end = 0;
  }

  /** Bytes as they are, `0x` and digits. Throws EvmError `MALFORMED`. */
  data(value: unknown, what: string): void {
    const hex = asHex(value, what);
    if (hex.length % 2 === 1) throw malformed(`${what} is not hex`);
    if (hex.length < LONG_DIGITS) this.digits(hex, 2, what);
    else this.longData(hex, what);
  }

  /** A number without leading zeros. Throws EvmError `MALFORMED`. */
  quantity(value: unknown, what: string): void {
    const hex = asHex(value, what);
    let from = 2;
    while (hex.charCodeAt(from) === ZERO) from += 1;
    this.digits(hex, from, what);
  }

  /** A string of bytes that begin with none below 0x80, or are several. */
  bytes(bytes: Uint8Array): void {
    this.header(bytes.length, STRING);
    this.raw(bytes);
  }

  /** Bytes that are RLP already, or stand before it. */
  raw(bytes: Uint8Array): void {
    this.makeRoom(bytes.length);
    this.buffer.set(bytes, this.end);
    this.end += bytes.length;
  }

  byte(value: number): void {
    this.makeRoom(1);
    this.buffer[this.end++] = value;
  }

  /** Makes a list of all that was written since this length. */
  wrap(start: number): void {
    const length = this.end - start;
    const size = length <= SHORT_BYTES ? 1 : 1 + bytesOf(length);
    this.makeRoom(0);
    this.buffer.copyWithin(start + size, start, this.end);
    this.end = start;
    this.header(length, LIST);
    this.end += length;
  }

  private digits(hex: string, from: number, what: string): void {
    const length = (hex.length - from + 1) >> 1;
    if (length !== 1) this.header(length, STRING);
    this.makeRoom(length);
    const { buffer } = this;
    let { end } = this;
    let at = from;
    let all = 0;
    if ((hex.length - from) % 2 === 1) {
      all = digitAt(hex, at++);
      buffer[end++] = all;
    }
    while (at < hex.length) {
      const high = digitAt(hex, at++);
      const low = digitAt(hex, at++);
      all |= high | low;
      buffer[end++] = (high << 4) | low;
    }
    if (all > 15) throw malformed(`${what} is not hex`);
    this.end = end;
    if (length === 1) this.markOneByte();
  }

  private longData(hex: string, what: string): void {
    const length = hex.length / 2 - 1;
    this.header(length, STRING);
    this.makeRoom(length);
    if (this.buffer.write(hex.slice(2), this.end, 'hex') !== length) throw malformed(`${what} is not hex`);
    this.end += length;
  }

  /** A byte that could be taken for a header gets one. */
  private markOneByte(): void {
    const byte = this.buffer[this.end - 1] ?? 0;
    if (byte < STRING) return;
    this.buffer[this.end - 1] = STRING + 1;
    this.byte(byte);
  }

  private header(length: number, offset: number): void {
    this.makeRoom(0);
    if (length <= SHORT_BYTES) {
      this.buffer[this.end++] = offset + length;
      return;
    }
    const size = bytesOf(length);
    this.buffer[this.end++] = offset + SHORT_BYTES + size;
    for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) {
      this.buffer[this.end++] = (length >> shift) & 0xff;
    }
  }

  private makeRoom(bytes: number): void {
    const needed = this.end + bytes + HEADER_ROOM;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * needed);
    larger.set(this.written);
    this.buffer = larger;
  }
}

function digitAt(hex: string, at: number): number {
  return DIGITS[hex.charCodeAt(at)] ?? NO_DIGIT;
}

/** That a length takes. */
function bytesOf(length: number): number {
  return Math.ceil((32 - Math.clz32(length)) / 8);
}

function asHex(value: unknown, what: string): string {
  if (typeof value === 'string' && value.startsWith('0x')) return value;
  throw malformed(`${what} is not hex`);
}

import { P2pError } from '../p2p.error.js';
import { invalidCompression } from './zstd.error.js';

/** Most messages are answers of about 200 bytes. */
const FIRST_ALLOCATION_BYTES = 512;

/** The decompressed bytes: grown as they come, never beyond the bound. */
export class Output {
  private bytes: Uint8Array;
  private used = 0;

  constructor(private readonly maxBytes: number) {
    this.bytes = new Uint8Array(Math.min(maxBytes, FIRST_ALLOCATION_BYTES));
  }

  get length(): number {
    return this.used;
  }

  append(part: Uint8Array): void {
    this.reserve(part.length);
    this.bytes.set(part, this.used);
    this.used += part.length;
  }

  appendRepeated(byte: number, count: number): void {
    this.reserve(count);
    this.bytes.fill(byte, this.used, this.used + count);
    this.used += count;
  }

  /** Repeats what was written `offset` bytes ago; the source may reach into the copy. `windowStart` bounds it. */
  copyBack(offset: number, count: number, windowStart: number): void {
    const source = this.used - offset;
    if (offset < 1 || source < windowStart) {
      throw invalidCompression('a match reaches back too far');
    }
    this.reserve(count);
    if (offset >= count) {
      this.bytes.copyWithin(this.used, source, source + count);
    } else {
      for (let i = 0; i < count; i++) {
        this.bytes[this.used + i] = this.bytes[source + i] ?? 0;
      }
    }
    this.used += count;
  }

  toBytes(): Uint8Array {
    return this.bytes.subarray(0, this.used);
  }

  private reserve(count: number): void {
    const needed = this.used + count;
    if (needed > this.maxBytes) {
      throw new P2pError('MESSAGE_TOO_LARGE', `a message expands beyond ${this.maxBytes} bytes`);
    }
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(Math.min(this.maxBytes, Math.max(needed, this.bytes.length * 2)));
      grown.set(this.bytes.subarray(0, this.used));
      this.bytes = grown;
    }
  }
}

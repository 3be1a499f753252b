import { CodecError } from './codec.error.js';

/** Largest element count of a list or byte slice; avalanchego refuses more (codec/reflectcodec/type_codec.go). */
export const MAX_SLICE_LENGTH = 2 ** 31 - 1;

export const MAX_UINT64 = 2n ** 64n - 1n;

/** Most of what is packed is shorter; what is longer moves to twice the room. */
const INITIAL_BYTES = 256;

/**
 * Writes big-endian fields one after the other (avalanchego v1.14.2 utils/wrappers/packing.go).
 * Throws CodecError when a value does not fit its field, or the whole outgrows `maxBytes`.
 */
export class Packer {
  private buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  private length = 0;

  constructor(readonly maxBytes: number = MAX_SLICE_LENGTH) {}

  packByte(value: number): this {
    return this.packUnsigned(value, 1);
  }

  packShort(value: number): this {
    return this.packUnsigned(value, 2);
  }

  packInt(value: number): this {
    return this.packUnsigned(value, 4);
  }

  packLong(value: bigint): this {
    if (value < 0n || value > MAX_UINT64) {
      throw new CodecError('INVALID_VALUE', `${value} is not an unsigned 64-bit integer`);
    }
    const at = this.reserve(8);
    this.buffer.writeBigUInt64BE(value, at);
    return this;
  }

  packBool(value: boolean): this {
    return this.packByte(value ? 1 : 0);
  }

  /** A fixed array: no length before it. `length`, when given, is the size the field must have. */
  packFixedBytes(bytes: Uint8Array, length: number = bytes.length): this {
    if (bytes.length !== length) {
      throw new CodecError('INVALID_VALUE', `field has ${bytes.length} bytes, ${length} needed`);
    }
    const at = this.reserve(length);
    this.buffer.set(bytes, at);
    return this;
  }

  /** The same of bytes in hex. */
  packFixedHex(digits: string, length: number): this {
    const at = this.reserve(length);
    // Writes as far as there are digits.
    const written = digits.length === 2 * length ? this.buffer.write(digits, at, 'hex') : 0;
    if (written !== length) throw new CodecError('INVALID_VALUE', `not hex of ${length} bytes`);
    return this;
  }

  /** A byte slice: uint32 length, then the bytes. */
  packBytes(bytes: Uint8Array): this {
    return this.packInt(bytes.length).packFixedBytes(bytes);
  }

  /** A string: uint16 length of its UTF-8 form, then that form. */
  packString(text: string): this {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > 0xffff) {
      throw new CodecError('LENGTH_OUT_OF_RANGE', `string of ${bytes.length} bytes, at most 65535 allowed`);
    }
    return this.packShort(bytes.length).packFixedBytes(bytes);
  }

  /** A list: uint32 count, then each element. */
  packList<T>(elements: readonly T[], packElement: (packer: Packer, element: T) => void): this {
    this.packInt(elements.length);
    for (const element of elements) packElement(this, element);
    return this;
  }

  toBytes(): Uint8Array {
    return new Uint8Array(this.buffer.subarray(0, this.length));
  }

  private packUnsigned(value: number, size: number): this {
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** (8 * size)) {
      throw new CodecError('INVALID_VALUE', `${value} is not an unsigned ${8 * size}-bit integer`);
    }
    const at = this.reserve(size);
    this.buffer.writeUIntBE(value, at, size);
    return this;
  }

  /** Where the next so many bytes go. */
  private reserve(bytes: number): number {
    const at = this.length;
    const length = at + bytes;
    if (length > this.maxBytes) {
      throw new CodecError('LENGTH_OUT_OF_RANGE', `more than ${this.maxBytes} bytes`);
    }
    if (length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.buffer.length));
      larger.set(this.buffer.subarray(0, at));
      this.buffer = larger;
    }
    this.length = length;
    return at;
  }
}

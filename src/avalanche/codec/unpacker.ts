import { CodecError } from './codec.error.js';
import { MAX_SLICE_LENGTH } from './packer.js';

/**
 * Reads big-endian fields one after the other (avalanchego v1.14.2 utils/wrappers/packing.go).
 * The input is untrusted: every read is bounds-checked before anything is allocated, and throws CodecError.
 * Results are copies, so the input may be reused.
 */
export class Unpacker {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private buffer: Buffer | undefined;
  private position = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.bytes.length - this.position;
  }

  /** Bytes read so far: where the next field starts. */
  get offset(): number {
    return this.position;
  }

  /** The bytes read since an earlier `offset`. A view, for hashing: the only thing returned that is not a copy. */
  viewSince(offset: number): Uint8Array {
    return this.bytes.subarray(offset, this.position);
  }

  unpackByte(): number {
    return this.view.getUint8(this.advance(1));
  }

  unpackShort(): number {
    return this.view.getUint16(this.advance(2));
  }

  unpackInt(): number {
    return this.view.getUint32(this.advance(4));
  }

  unpackLong(): bigint {
    return this.view.getBigUint64(this.advance(8));
  }

  unpackBool(): boolean {
    const byte = this.unpackByte();
    if (byte > 1) throw new CodecError('INVALID_BOOL', `bool byte is ${byte}`);
    return byte === 1;
  }

  unpackFixedBytes(length: number): Uint8Array {
    const start = this.advance(length);
    return new Uint8Array(this.bytes.subarray(start, start + length)); // slice() of a Buffer would be a view
  }

  /** A fixed array as lower-case hex, without a copy of the bytes in between: blocks consist mostly of ids. */
  unpackHex(length: number): string {
    const start = this.advance(length);
    this.buffer ??= Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
    return this.buffer.toString('hex', start, start + length);
  }

  /** A byte slice: uint32 length, then the bytes. */
  unpackBytes(maxLength: number = MAX_SLICE_LENGTH): Uint8Array {
    const length = this.unpackInt();
    if (length > maxLength) {
      throw new CodecError('LENGTH_OUT_OF_RANGE', `length ${length}, at most ${maxLength} allowed`);
    }
    return this.unpackFixedBytes(length);
  }

  /** A string: uint16 length, then UTF-8. */
  unpackString(maxLength = 0xffff): string {
    const length = this.unpackShort();
    if (length > maxLength) {
      throw new CodecError('LENGTH_OUT_OF_RANGE', `string of ${length} bytes, at most ${maxLength} allowed`);
    }
    const bytes = this.unpackFixedBytes(length);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch (cause) {
      throw new CodecError('INVALID_VALUE', 'string is not UTF-8', { cause });
    }
  }

  /**
   * A list: uint32 count, then each element. `minElementBytes` (at least 1) is the smallest packed element:
   * a count that cannot fit the rest of the input is refused before the first element is read.
   */
  unpackList<T>(minElementBytes: number, unpackElement: (unpacker: Unpacker) => T): T[] {
    const count = this.unpackInt();
    if (count > MAX_SLICE_LENGTH) {
      throw new CodecError('LENGTH_OUT_OF_RANGE', `list of ${count}, at most ${MAX_SLICE_LENGTH} allowed`);
    }
    if (count * minElementBytes > this.remaining) {
      throw new CodecError('INSUFFICIENT_LENGTH', `list of ${count} does not fit ${this.remaining} bytes`);
    }
    const elements: T[] = [];
    for (let i = 0; i < count; i++) elements.push(unpackElement(this));
    return elements;
  }

  /** Ends the reading: a blob with bytes left over is refused, as in avalanchego. */
  finish(): void {
    if (this.remaining > 0) throw new CodecError('TRAILING_BYTES', `${this.remaining} bytes left over`);
  }

  private advance(length: number): number {
    if (length > this.remaining) {
      throw new CodecError('INSUFFICIENT_LENGTH', `${length} bytes needed, ${this.remaining} left`);
    }
    const start = this.position;
    this.position += length;
    return start;
  }
}

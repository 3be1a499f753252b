import { CodecError } from './codec.error.js';
import { Packer } from './packer.js';
import { Unpacker } from './unpacker.js';

/** The only codec version there is; every top-level blob starts with it as a uint16. */
export const CODEC_VERSION = 0;

export const CODEC_VERSION_BYTES = 2;

/** A whole blob: codec version, then what `pack` writes (avalanchego v1.14.2 codec/manager.go, Marshal). */
export function packBlob(pack: (packer: Packer) => void, maxBytes?: number): Uint8Array {
  const packer = new Packer(maxBytes).packShort(CODEC_VERSION);
  pack(packer);
  return packer.toBytes();
}

/**
 * Reads a whole blob: codec version, what `unpack` reads, and nothing after it (codec/manager.go, Unmarshal).
 * Throws CodecError; LENGTH_OUT_OF_RANGE when the blob is longer than `maxBytes`.
 */
export function unpackBlob<T>(
  bytes: Uint8Array,
  unpack: (unpacker: Unpacker) => T,
  maxBytes: number = Number.MAX_SAFE_INTEGER,
): T {
  if (bytes.length > maxBytes) {
    throw new CodecError('LENGTH_OUT_OF_RANGE', `${bytes.length} bytes, at most ${maxBytes} allowed`);
  }
  const unpacker = new Unpacker(bytes);
  const version = unpacker.unpackShort();
  if (version !== CODEC_VERSION) {
    throw new CodecError('UNKNOWN_CODEC_VERSION', `codec version ${version} is not known`);
  }
  const value = unpack(unpacker);
  unpacker.finish();
  return value;
}

/** Reads the uint32 type id that precedes a value of an interface type, and demands the expected one. */
export function unpackTypeId(unpacker: Unpacker, expected: number): void {
  const typeId = unpacker.unpackInt();
  if (typeId !== expected) {
    throw new CodecError('UNKNOWN_TYPE_ID', `type id ${typeId}, ${expected} expected`);
  }
}

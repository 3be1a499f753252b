import { CodecError } from './codec.error.js';
import { Packer } from './packer.js';
import { Unpacker } from './unpacker.js';

/** The only codec version there is; every top-level blob starts with it as a uint16. */
export const CODEC_VERSION = 0;

type Pack = (packer: Packer) => void;
type Unpack<T> = (unpacker: Unpacker) => T;

/** A whole blob: codec version, then what `pack` writes (avalanchego v1.14.2 codec/manager.go, Marshal). */
export function packBlob(pack: Pack, maxBytes?: number): Uint8Array {
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
  unpack: Unpack<T>,
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

/** A whole blob that holds one value of an interface type: version, uint32 type id, the value's fields. */
export function packTypedBlob(typeId: number, pack: Pack, maxBytes?: number): Uint8Array {
  return packBlob((packer) => pack(packer.packInt(typeId)), maxBytes);
}

/** Reads a blob that holds one value of the type that the caller expects. Throws CodecError. */
export function unpackTypedBlob<T>(
  bytes: Uint8Array,
  typeId: number,
  unpack: Unpack<T>,
  maxBytes?: number,
): T {
  return unpackAnyTypedBlob(bytes, new Map([[typeId, unpack]]), maxBytes);
}

/** Reads a blob that holds one value of any of the types registered under their ids. Throws CodecError. */
export function unpackAnyTypedBlob<T>(
  bytes: Uint8Array,
  types: ReadonlyMap<number, Unpack<T>>,
  maxBytes?: number,
): T {
  return unpackBlob(bytes, (unpacker) => unpackTyped(unpacker, types), maxBytes);
}

/** Reads a uint32 type id and the fields of the type registered under it. Throws CodecError. */
export function unpackTyped<T>(unpacker: Unpacker, types: ReadonlyMap<number, Unpack<T>>): T {
  const typeId = unpacker.unpackInt();
  const unpack = types.get(typeId);
  if (!unpack) throw new CodecError('UNKNOWN_TYPE_ID', `type id ${typeId} is not expected here`);
  return unpack(unpacker);
}

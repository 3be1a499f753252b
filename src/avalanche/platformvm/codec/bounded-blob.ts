import { CodecError } from '../../codec/codec.error.js';
import { packBlob, unpackBlob } from '../../codec/codec.js';
import type { Unpacker } from '../../codec/unpacker.js';
import { PlatformVmError } from '../platformvm.error.js';
import type { Field } from './field.js';

/**
 * Nothing of the P-chain comes near: blocks are limited by the peers' message size of 2 MiB, and the largest genesis
 * has 4.4 MB. The bound is for whatever else an RPC server may answer.
 */
export const MAX_BYTES = 16 * 1024 * 1024;

/** Codec version, what `unpack` reads, and nothing after it. Throws PlatformVmError MALFORMED and UNKNOWN_TYPE_ID. */
export function parseWith<T>(what: string, bytes: Uint8Array, unpack: (unpacker: Unpacker) => T): T {
  try {
    return unpackBlob(bytes, unpack, MAX_BYTES);
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause;
    throw new PlatformVmError('MALFORMED', `not a ${what}: ${cause.message}`, { cause });
  }
}

/** Codec version and the value. Throws CodecError when a value does not fit its field. */
export function packWith<T>(field: Field<T>, value: T): Uint8Array {
  return packBlob((packer) => field.pack(packer, value), MAX_BYTES);
}

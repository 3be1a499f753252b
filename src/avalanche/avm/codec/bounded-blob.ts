import { CodecError } from '../../codec/codec.error.js';
import { unpackBlob } from '../../codec/codec.js';
import type { Field } from '../../platformvm/codec/field.js';
import { MAX_BYTES } from '../../platformvm/codec/bounded-blob.js';
import { PlatformVmError } from '../../platformvm/platformvm.error.js';
import { AvmError } from '../avm.error.js';

/** Codec version, the value, and nothing after it. Throws AvmError MALFORMED and UNKNOWN_TYPE_ID. */
export function parseWith<T>(what: string, bytes: Uint8Array, field: Field<T>): T {
  try {
    return unpackBlob(bytes, field.unpack, MAX_BYTES);
  } catch (cause) {
    if (cause instanceof CodecError) {
      throw new AvmError('MALFORMED', `not a ${what} of the X-chain: ${cause.message}`, { cause });
    }
    // From the fields that both chains share.
    if (cause instanceof PlatformVmError) throw new AvmError('UNKNOWN_TYPE_ID', cause.message, { cause });
    throw cause;
  }
}

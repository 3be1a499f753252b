import { base58 } from '@scure/base';
import { withChecksum, withoutChecksum } from './checksum.js';
import { IdError } from './id.error.js';

/** base58 takes quadratic time, and nothing this service reads in cb58 is longer than an id with its checksum. */
export const MAX_CB58_CHARACTERS = 1024;

/** base58 of the bytes and their checksum (avalanchego v1.14.2 utils/cb58/cb58.go). */
export function toCb58(bytes: Uint8Array): string {
  return base58.encode(withChecksum(bytes));
}

/** Throws IdError on foreign characters, a wrong checksum, or more than MAX_CB58_CHARACTERS. */
export function fromCb58(text: string): Uint8Array {
  if (text.length === 0 || text.length > MAX_CB58_CHARACTERS) {
    throw new IdError('INVALID_CB58', `cb58 of ${text.length} characters`);
  }
  return withoutChecksum(decodeBase58(text));
}

function decodeBase58(text: string): Uint8Array {
  try {
    return base58.decode(text);
  } catch (cause) {
    throw new IdError('INVALID_CB58', 'not base58', { cause });
  }
}

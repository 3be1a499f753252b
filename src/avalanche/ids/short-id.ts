import { fromCb58, toCb58 } from './cb58.js';
import { IdError } from './id.error.js';

/** Bytes of a node id or of an X/P-chain address (avalanchego v1.14.2 ids/short.go). */
export const SHORT_ID_LENGTH = 20;

/** cb58 without any prefix, as owner addresses stand in the JSON form of transactions. */
export function shortIdToString(id: Uint8Array): string {
  return toCb58(checkShortIdLength(id));
}

/** Throws IdError unless the text is cb58 of 20 bytes. */
export function shortIdFromString(text: string): Uint8Array {
  return checkShortIdLength(fromCb58(text));
}

export function checkShortIdLength(id: Uint8Array): Uint8Array {
  if (id.length !== SHORT_ID_LENGTH) {
    throw new IdError('INVALID_LENGTH', `short id of ${id.length} bytes, 20 needed`);
  }
  return id;
}

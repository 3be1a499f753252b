import { fromCb58, toCb58 } from './cb58.js';
import { IdError } from './id.error.js';

/** Bytes of a subnet, blockchain, transaction, validation or message id (avalanchego v1.14.2 ids/id.go). */
export const ID_LENGTH = 32;

/** 32 zero bytes: the primary network's subnet id, and the P-chain's blockchain id. */
export const EMPTY_ID: Uint8Array = new Uint8Array(ID_LENGTH);

/** Text form of EMPTY_ID. */
export const PRIMARY_NETWORK_ID = '11111111111111111111111111111111LpoYY';

/** cb58 of the 32 bytes. Throws IdError when they are not 32. */
export function idToString(id: Uint8Array): string {
  return toCb58(checkIdLength(id));
}

/** Throws IdError unless the text is cb58 of 32 bytes. */
export function idFromString(text: string): Uint8Array {
  return checkIdLength(fromCb58(text));
}

function checkIdLength(id: Uint8Array): Uint8Array {
  if (id.length !== ID_LENGTH) throw new IdError('INVALID_LENGTH', `id of ${id.length} bytes, 32 needed`);
  return id;
}

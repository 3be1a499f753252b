import { AvalancheError } from '../avalanche.error.js';

export type IdErrorCode =
  | 'INVALID_HEX'
  | 'INVALID_CB58'
  | 'INVALID_CHECKSUM'
  | 'INVALID_LENGTH'
  | 'INVALID_PREFIX'
  | 'INVALID_ADDRESS';

/** A text is not an id, a node id, an address or an encoded byte string; or bytes are not of an id's length. */
export class IdError extends AvalancheError<IdErrorCode> {}

import { AvalancheError } from '../avalanche.error.js';

export type BlsErrorCode =
  'INVALID_PUBLIC_KEY' | 'INVALID_SIGNATURE' | 'INVALID_SECRET_KEY' | 'EMPTY_AGGREGATE';

/** Bytes are not a key or a signature, or there is nothing to add up. */
export class BlsError extends AvalancheError<BlsErrorCode> {}

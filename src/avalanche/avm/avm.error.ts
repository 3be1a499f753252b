import { AvalancheError } from '../avalanche.error.js';

export type AvmErrorCode =
  /** A block, transaction or output of a type this version does not know: nothing after it can be read. */
  | 'UNKNOWN_TYPE_ID'
  /** The bytes do not follow the codec. */
  | 'MALFORMED'
  /** The block does not follow the last one that was applied. */
  | 'WRONG_PARENT'
  /** The block is well-formed and contradicts what is known: either is wrong, and going on would make figures drift. */
  | 'STATE_MISMATCH'
  /** No genesis data fits the chain's id. */
  | 'UNKNOWN_GENESIS';

/** An X-chain block cannot be read or applied. None of these goes away by asking again for the same block. */
export class AvmError extends AvalancheError<AvmErrorCode> {}

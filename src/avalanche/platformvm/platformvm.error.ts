import { AvalancheError } from '../avalanche.error.js';

export type PlatformVmErrorCode =
  /** A block, transaction or output of a type this version does not know: nothing after it can be read. */
  | 'UNKNOWN_TYPE_ID'
  /** The bytes do not follow the codec. */
  | 'MALFORMED'
  /** The block does not follow the last one that was applied. */
  | 'WRONG_PARENT'
  /** The block is well-formed and contradicts our state: either is wrong, and going on would make figures drift. */
  | 'STATE_MISMATCH'
  /** A node, or the index on record, follows rules that changed at other times than ours. */
  | 'OTHER_UPGRADES'
  /** No genesis data fits the chain's first block. */
  | 'UNKNOWN_GENESIS';

/** A P-chain block cannot be read or applied. None of these goes away by asking again for the same block. */
export class PlatformVmError extends AvalancheError<PlatformVmErrorCode> {}

import { AvalancheError } from '../avalanche.error.js';

/**
 * `NOT_SERVED`: no node had what was asked for. `NOT_ACCEPTED`: those who were to confirm a container deny it.
 * `TOO_FEW_VOTES`: too few of them answered.
 */
export type ChainSyncErrorCode = 'NOT_SERVED' | 'NOT_ACCEPTED' | 'TOO_FEW_VOTES';

/** Why a chain could not be read from its validators. Time may mend all of it. */
export class ChainSyncError extends AvalancheError<ChainSyncErrorCode> {}

/** A node's answer cannot be that of an honest one. */
export class MisconductError extends Error {
  override readonly name = 'MisconductError';
}

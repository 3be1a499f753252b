import { AvalancheError } from '../avalanche.error.js';

export type EvmErrorCode =
  /** The answer is not what an EVM node answers, or holds a value beyond what the EVM allows: nothing of it is believed. */
  | 'MALFORMED'
  /** The block does not follow the one before it: another chain, or a network that was wiped. */
  | 'WRONG_PARENT'
  /** The receipts are not those of the block's transactions. */
  | 'RECEIPTS_MISMATCH'
  /** The block's hash commits to something else than the node gave: it was left out, or changed. */
  | 'ROOT_MISMATCH'
  /** The node knows later blocks but does not have this one, e.g. because it was synced from a state summary. */
  | 'BLOCK_UNAVAILABLE'
  /** The trace has more or deeper frames than we follow. */
  | 'TRACE_TOO_LARGE';

/** An EVM node's data cannot be used. Failures of the connection are RpcErrors. */
export class EvmError extends AvalancheError<EvmErrorCode> {}

export function malformed(what: string): EvmError {
  return new EvmError('MALFORMED', what);
}

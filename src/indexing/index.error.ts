import { AvalancheError, isAvalancheError } from '../avalanche/avalanche.error.js';
import { PlatformVmError } from '../avalanche/platformvm/platformvm.error.js';

export type IndexErrorCode =
  /** Every node shows another block where our last one is, or another genesis: the index belongs to another chain. */
  | 'FOREIGN_CHAIN'
  /** Another process writes the same chain at this moment. */
  | 'OTHER_WRITER'
  /** The checkpoint in the database is not the one that our state belongs to: another process has written meanwhile. */
  | 'CHECKPOINT_MOVED'
  /** No node answers and has our last block; some may later. */
  | 'NO_USABLE_NODE';

export class IndexError extends AvalancheError<IndexErrorCode> {}

/** Whether going on needs a person, or another version of this program: asking again changes nothing. */
export function mustStop(error: unknown): boolean {
  if (!isAvalancheError(error)) return false;
  return error instanceof PlatformVmError || error.code === 'FOREIGN_CHAIN';
}

import { AvalancheError } from '../../../avalanche/avalanche.error.js';
import { AvmError } from '../../../avalanche/avm/avm.error.js';
import { PlatformVmError } from '../../../avalanche/platformvm/platformvm.error.js';

export type IndexErrorCode =
  /** Every node shows another block where our last one is, or another genesis: the index belongs to another chain. */
  | 'FOREIGN_CHAIN'
  /** Postgres will never take a row that a block asks for: the tables are narrower than the chain. */
  | 'ROW_REFUSED'
  /** A block contradicts what is on record: it spends what is not there, or not the one that we know. */
  | 'STATE_MISMATCH'
  /** Another process writes the same chain at this moment. */
  | 'OTHER_WRITER'
  /** The checkpoint in the database is not the one that our state belongs to: another process has written meanwhile. */
  | 'CHECKPOINT_MOVED'
  /** No node answers and has our last block; some may later. */
  | 'NO_USABLE_NODE';

export class IndexError extends AvalancheError<IndexErrorCode> {}

const FINAL_CODES: ReadonlySet<string> = new Set<IndexErrorCode>([
  'FOREIGN_CHAIN',
  'ROW_REFUSED',
  'STATE_MISMATCH',
]);

/** Whether going on needs a person, or another version of this program: asking again changes nothing. */
export function mustStop(error: unknown): error is PlatformVmError | AvmError | IndexError {
  if (error instanceof PlatformVmError || error instanceof AvmError) return true;
  return error instanceof IndexError && FINAL_CODES.has(error.code);
}

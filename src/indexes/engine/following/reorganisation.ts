import { EvmError } from '../../../avalanche/evm/evm.error.js';

/**
 * Whether a node's block does not follow the block on record. Blocks of Avalanche's chains are final, so nothing is ever taken back: the
 * chain was started anew, or is another one, and the index stops with `FOREIGN_CHAIN` when every node shows the same. The P- and
 * X-chain stop with the codes of their own errors.
 */
export function isEvmReorganisation(error: unknown): boolean {
  return error instanceof EvmError && error.code === 'WRONG_PARENT';
}

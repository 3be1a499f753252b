import { EvmError } from '../../../avalanche/evm/evm.error.js';
import { IndexError } from './index.error.js';

/**
 * The error with which an EVM index stops when every node shows a block that does not follow the one on record; undefined for other errors.
 * Blocks of Avalanche's chains are final, so nothing is ever taken back: the chain was started anew, or is another one. The P- and X-chain
 * stop with the codes of their own errors.
 */
export function foreignChain(cause: unknown, text: string): IndexError | undefined {
  const isForeign = cause instanceof EvmError && cause.code === 'WRONG_PARENT';
  return isForeign ? new IndexError('FOREIGN_CHAIN', text, { cause }) : undefined;
}

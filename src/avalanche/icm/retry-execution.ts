import type { Hash, Hex } from '../evm/rpc/hex-values.js';
import { WORD_DIGITS } from '../ids/abi-word.js';

/** retryMessageExecution(bytes32,(uint256,address,bytes32,address,uint256,address[],(uint256,address)[],bytes)) */
const SELECTOR = 'fc2d6197';

/**
 * The input of a call of the messenger that executes a delivered message again, whose execution failed. Anybody may send it. `received`
 * are the data of the ReceiveCrossChainMessage event: an address and the message, of which the input has a blockchain id and the message.
 * Both are one word and one tuple, so that all offsets stay what they are.
 */
export function retryExecutionInput(sourceBlockchainId: Hash, received: Hex): Hex {
  return `0x${SELECTOR}${sourceBlockchainId.slice(2)}${received.slice(2 + WORD_DIGITS)}`;
}

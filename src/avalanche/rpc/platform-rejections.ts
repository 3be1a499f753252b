import { RpcError } from './rpc.error.js';

/**
 * The node has one code (-32000) for every refusal, so its words must tell them apart (avalanchego v1.14.2, seen live).
 * Both predicates are false for anything but an answer of the node.
 */

/** Nothing of that id, or no block of that height: "…: not found". */
export function isNotFound(error: unknown): error is RpcError {
  return isRejection(error, /\bnot found$/);
}

/** `getValidatorsAt`, `getAllValidatorsAt`: the height has not been reached by this node. */
export function isHeightAboveTip(error: unknown): error is RpcError {
  return isRejection(error, /unfinalized height/);
}

function isRejection(error: unknown, words: RegExp): error is RpcError {
  return error instanceof RpcError && error.code === 'NODE_REJECTED' && words.test(error.rpcMessage ?? '');
}

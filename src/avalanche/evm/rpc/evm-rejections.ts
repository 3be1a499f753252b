import { isExecutionMessage, kindOfRefusal } from '../../rpc/refusals.js';
import type { RpcError } from '../../rpc/rpc.error.js';

/**
 * EVM nodes have one code (-32000) for nearly every refusal, so their texts must distinguish them (avalanchego v1.15.0 vms/saevm,
 * graft/coreth, libevm). Every predicate is false for anything but an answer of the node.
 */

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;

/** The height has not been accepted, or not been executed yet. */
export function isNotYet(error: RpcError): boolean {
  return isRejection(error, /unfinalized|after last accepted block|not accepted yet/i);
}

/** The node does not serve this method, or not to us. */
export function isMethodMissing(error: RpcError): boolean {
  return (
    (error.code === 'NODE_REJECTED' && error.rpcCode === METHOD_NOT_FOUND) ||
    isRejection(
      error,
      /method .*(not (exist|found|available|supported|allowed|whitelisted))|unsupported method/i,
    )
  );
}

/** The state to execute upon is gone (pruned) or was never there (synced from a summary), or has no tracer. */
export function isStateMissing(error: RpcError): boolean {
  const words =
    /missing trie node|state (is )?(unavailable|not available)|historical state|pruned|tracer|transaction not found|header not found|block .*not found/i;
  return isRejection(error, words);
}

/**
 * The node does not have the block, or not yet: the one behind the same URL that reported it may be another one. P- and X-chain use such
 * texts, too (avalanchego v1.15.0 vms/platformvm/service.go, vms/avm/service.go).
 */
export function isBlockMissing(error: RpcError): boolean {
  return isRejection(error, /header not found|block .*not found/i);
}

/**
 * The contract did not answer: reverted, ran out of gas, has other code than thought. Precompiles and virtual machines have
 * their own words for it, so everything is taken for this which is not known to be the node's own trouble.
 */
export function isExecutionFailure(error: RpcError): boolean {
  const { code, rpcCode, rpcMessage = '' } = error;
  if (code !== 'NODE_REJECTED' || rpcCode === undefined) return false;
  if (isExecutionMessage(rpcCode, rpcMessage)) return true;
  const isOurFault = [METHOD_NOT_FOUND, INVALID_PARAMS, INVALID_REQUEST, INTERNAL_ERROR].includes(rpcCode);
  const isNodesTrouble =
    isNotYet(error) ||
    isStateMissing(error) ||
    kindOfRefusal({ rpcCode, rpcMessage }) !== 'ANSWER' ||
    isRejection(error, /unavailable/i);
  return !isOurFault && !isNodesTrouble;
}

function isRejection(error: RpcError, words: RegExp): boolean {
  return error.code === 'NODE_REJECTED' && words.test(error.rpcMessage ?? '');
}

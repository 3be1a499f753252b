import { RpcError } from './rpc.error.js';

/** JSON-RPC's own: there is no such method, which gateways call "not found", too. */
const NO_METHOD = -32_601;

/**
 * Nothing of that id, or no block of that height: "…: not found". The node has one code (-32000) for every refusal, so its texts must
 * distinguish them (avalanchego v1.14.2, seen live).
 */
export function isNotFound(error: unknown): error is RpcError {
  if (!(error instanceof RpcError) || error.code !== 'NODE_REJECTED' || error.rpcCode === NO_METHOD) {
    return false;
  }
  return /\bnot found$/.test(error.rpcMessage ?? '');
}

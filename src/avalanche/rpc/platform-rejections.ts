import { RpcError } from './rpc.error.js';

/**
 * Nothing of that id, or no block of that height: "…: not found". The node has one code (-32000) for every refusal, so its texts must
 * distinguish them (avalanchego v1.14.2, seen live).
 */
export function isNotFound(error: unknown): error is RpcError {
  return (
    error instanceof RpcError && error.code === 'NODE_REJECTED' && /\bnot found$/.test(error.rpcMessage ?? '')
  );
}

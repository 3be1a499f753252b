import { isAskedTooOften, isTooLarge } from '../../rpc/refusals.js';
import type { RpcError } from '../../rpc/rpc.error.js';
import { malformed } from '../evm.error.js';
import type { EvmCall } from './batch-rpc-client.js';
import { isBlockMissing, isNotYet } from './evm-rejections.js';
import { asArray, asObject, type Hash, toQuantity } from './hex-values.js';

/** `frames` has the outermost frame of each of the block's transactions as the node printed it, in their order. */
export type BlockTraceAnswer =
  | { readonly status: 'traced'; readonly frames: readonly unknown[] }
  | { readonly status: 'unavailable'; readonly reason: string };

/** Values of a block that its traces are checked against. */
export interface TraceTarget {
  readonly height: bigint;
  readonly transactions: readonly { readonly hash: Hash }[];
}

/** Of all transactions of the block. */
export function traceCall(block: TraceTarget): EvmCall<BlockTraceAnswer> {
  return {
    method: 'debug_traceBlockByNumber',
    params: [toQuantity(block.height), { tracer: 'callTracer' }],
    parse: (result) => parseBlockTrace(result, block),
  };
}

/** Each entry has a transaction's frame, or why that one could not be traced, e.g. because it takes too long. */
function parseBlockTrace(result: unknown, block: TraceTarget): BlockTraceAnswer {
  const entries = asArray(result, 'trace of a block').map((entry) => asObject(entry, 'trace'));
  if (entries.length !== block.transactions.length) {
    throw malformed(`${entries.length} traces for ${block.transactions.length} transactions`);
  }
  for (const [index, { txHash, error }] of entries.entries()) {
    const expected = block.transactions[index]?.hash;
    if (txHash !== undefined && txHash !== expected) throw malformed('traces are not in order');
    if (error !== undefined) return { status: 'unavailable', reason: `${expected} cannot be traced` };
  }
  return { status: 'traced', frames: entries.map((entry) => asObject(entry['result'], 'trace')) };
}

/**
 * A tracer has many words for what it cannot do: it has none, its state is gone, the block is one that it fails at. None of them
 * may keep anybody from the block itself. Only what passes is thrown: a node that is behind, or has had enough of us.
 */
export function toUnavailable(error: RpcError): { readonly status: 'unavailable'; readonly reason: string } {
  const isRefused = error.code === 'NODE_REJECTED' && !isNotYet(error) && !isBlockMissing(error);
  const isFinal = isRefused && !isAskedTooOften(error);
  if (isFinal || isForbidden(error) || isTooLarge(error)) {
    return { status: 'unavailable', reason: error.reason };
  }
  throw error;
}

/** Hosted nodes answer so for methods that are not part of the plan. */
function isForbidden({ facts }: RpcError): boolean {
  return facts.httpStatus === 401 || facts.httpStatus === 403 || facts.httpStatus === 404;
}

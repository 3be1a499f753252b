import type { PeerRequestError } from '../p2p/peer-request.error.js';

/**
 * Where a refusal may come from, and so for how long asking again can help:
 *
 * - `lagging`: the validator is some blocks behind.
 * - `unexecuted`: since Helicon the C-chain accepts blocks first and executes them later, and a validator knows a message
 *   only once it has executed its block. Nodes count on at most 30 s between the two (`vms/saevm/params`).
 * - `final`: nothing that time mends.
 *
 * All but `final` are also given by a validator that will never sign, so asking again is only ever for a bounded time.
 */
export type RefusalKind = 'lagging' | 'unexecuted' | 'final';

/**
 * Codes: `network/p2p/error.go`, `vms/platformvm/network/warp.go`, `vms/saevm/cchain/warp/verifier.go` and
 * `graft/subnet-evm/warp` of avalanchego v1.15.0. The virtual machines of the EVM family share the numbers, not their
 * meanings, but 3 is the C-chain's alone.
 */
export function classifyRefusal(code: number, sourceIsPlatformChain: boolean): RefusalKind {
  if (code <= 0) return GENERIC_FINAL_CODES.has(code) ? 'final' : 'lagging';
  if (sourceIsPlatformChain) return PLATFORM_CHAIN_LAG_CODES.has(code) ? 'lagging' : 'final';
  return code === C_CHAIN_UNKNOWN_MESSAGE ? 'unexecuted' : 'lagging';
}

/** Neither a message of an executed block nor the hash of a block. */
const C_CHAIN_UNKNOWN_MESSAGE = 3;

/** -2: the handler is not registered; -3: only validators are served. */
const GENERIC_FINAL_CODES: ReadonlySet<number> = new Set([-2, -3]);

/** Whether a node that refuses so refuses every message. */
export function isAboutTheNode(code: number): boolean {
  return GENERIC_FINAL_CODES.has(code);
}

/** Subnet not converted yet, validation unknown, still existing or still possible, nonce or weight of another update. */
const PLATFORM_CHAIN_LAG_CODES: ReadonlySet<number> = new Set([6, 11, 12, 14, 16, 17]);

/** Groups equal causes across validators: bounded text, no peer-chosen bytes beyond what the p2p layer let through. */
export function describeFailure(error: PeerRequestError): string {
  switch (error.code) {
    case 'APP_ERROR':
      return `refused with code ${error.appErrorCode}${error.appErrorMessage === '' ? '' : ` (${error.appErrorMessage})`}`;
    case 'TIMED_OUT':
      return 'no answer in time';
    case 'DISCONNECTED':
      return 'disconnected';
    case 'NOT_CONNECTED':
      return 'not connected';
    case 'TOO_MANY_REQUESTS':
      return 'too many requests in flight';
    case 'ABORTED':
      return 'aborted';
  }
}

import type { AppRequestError } from '../p2p/app-request-network.js';

/**
 * Whether asking the same validator again can help. A validator that lags a few blocks behind refuses with the same code as one
 * that will never sign, so "retry" is only ever for a bounded time.
 *
 * Codes: `network/p2p/error.go`, `vms/platformvm/network/warp.go`, `graft/{coreth,subnet-evm}/warp` of avalanchego v1.14.2.
 */
export function isRetryableRefusal(code: number, sourceIsPlatformChain: boolean): boolean {
  if (code <= 0) return !GENERIC_FINAL_CODES.has(code);
  return sourceIsPlatformChain ? PLATFORM_CHAIN_LAG_CODES.has(code) : true;
}

/** -2: the handler is not registered; -3: only validators are served. */
const GENERIC_FINAL_CODES: ReadonlySet<number> = new Set([-2, -3]);

/** Subnet not converted yet, validation unknown, still existing or still possible, nonce or weight of another update. */
const PLATFORM_CHAIN_LAG_CODES: ReadonlySet<number> = new Set([6, 11, 12, 14, 16, 17]);

/** Groups equal causes across validators: bounded text, no peer-chosen bytes beyond what the p2p layer let through. */
export function describeFailure(error: AppRequestError): string {
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

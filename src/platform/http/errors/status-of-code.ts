import type { RpcErrorCode } from '../../../avalanche/rpc/rpc.error.js';
import type { AggregationErrorCode } from '../../../avalanche/signature-aggregation/aggregation.error.js';
import type { NetworkErrorCode } from '../../networks/network.error.js';
import type { ErrorStatus } from './api-error.js';

/** Status of an error by its code, wherever it has happened. */
export const STATUS_BY_CODE = {
  NETWORK_NOT_CONFIGURED: 503,
  WRONG_NETWORK: 503,
  UNKNOWN_BLOCKCHAIN: 400,
  UNKNOWN_SUBNET: 400,
  HEIGHT_IN_FUTURE: 400,
  HEIGHT_NOT_AVAILABLE: 400,
  P_CHAIN_NOT_KNOWN: 503,
  PROPOSED_HEIGHT_NOT_AVAILABLE: 503,
  EMPTY_VALIDATOR_SET: 400,
  NODE_UNREACHABLE: 503,
  NODE_TIMED_OUT: 503,
  NODE_BAD_RESPONSE: 502,
  NODE_REJECTED: 502,
  INSUFFICIENT_CONNECTED_WEIGHT: 503,
  INSUFFICIENT_SIGNATURES: 503,
  INSUFFICIENT_SIGNING_WEIGHT: 503,
} as const satisfies Record<NetworkErrorCode | RpcErrorCode | AggregationErrorCode, ErrorStatus>;

export function statusOfCode(code: keyof typeof STATUS_BY_CODE): ErrorStatus {
  return STATUS_BY_CODE[code];
}

/** Of a failure that comes from another process, by its type; what is none of the codes may pass by itself. */
export function statusOfFailure(type: string | null | undefined): ErrorStatus {
  return typeof type === 'string' && isCode(type) ? STATUS_BY_CODE[type] : 503;
}

/** A node's text alone leaves open whose it is. */
export function textOfFailure(code: string, message: string): string {
  return code.startsWith('NODE_') ? `the network's node failed: ${message}` : message;
}

function isCode(type: string): type is keyof typeof STATUS_BY_CODE {
  return Object.hasOwn(STATUS_BY_CODE, type);
}

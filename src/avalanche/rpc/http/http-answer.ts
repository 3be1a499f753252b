import type { HttpPostError, HttpPostResponse } from './http-post.js';
import { RpcError, type RpcErrorCode, type RpcErrorFacts } from '../rpc.error.js';

const CODE_OF_FAILURE = {
  TIMED_OUT: 'NODE_TIMED_OUT',
  TOO_LARGE: 'NODE_BAD_RESPONSE',
  CONNECTION: 'NODE_UNREACHABLE',
} as const satisfies Record<HttpPostError['failure'], RpcErrorCode>;

/** Meaning of a failed HTTP request for a call to a node. */
export function failureOfPost(error: HttpPostError, facts: RpcErrorFacts): RpcError {
  return new RpcError(CODE_OF_FAILURE[error.failure], error.message, facts, { cause: error });
}

/** Throws RpcError unless the server answered 200: a node answers errors of its own with it, too. */
export function assertStatus({ status, retryAfter }: HttpPostResponse, facts: RpcErrorFacts): void {
  if (status === 200) return;
  const cannotServeNow = status === 429 || status >= 500;
  const reason =
    status >= 300 && status < 400 ? `HTTP ${status}, redirects are not followed` : `HTTP ${status}`;
  throw new RpcError(cannotServeNow ? 'NODE_UNREACHABLE' : 'NODE_BAD_RESPONSE', reason, {
    ...facts,
    httpStatus: status,
    retryAfterMs: parseRetryAfter(retryAfter),
  });
}

/** Seconds or an HTTP date (RFC 9110 10.2.3); undefined for anything else. */
export function parseRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const untilMs = Date.parse(text) - Date.now();
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs);
}

import { toKnownError } from '../../../platform/http/errors/error.filter.js';
import { ApiError } from '../../../platform/http/errors/api-error.js';
import { failureOf } from '../aggregation-metrics.js';

const FAILED = 'failed to aggregate signatures. error: ';
/** Bytes of a header. */
const MAX_DETAIL = 1_000;

/** An answer in the Go aggregator's own words. */
export class GoError extends Error {
  constructor(
    readonly status: 400 | 413,
    text: string,
  ) {
    super(text);
    this.name = GoError.name;
  }
}

export interface GoErrorAnswer {
  readonly status: number;
  readonly text: string;
  /** The API's own answer, as a header; undefined where it has nothing to add. */
  readonly detail: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** The Go aggregator answers 500 to all that is not a malformed request; limits of callers, which it does not have, stay what they are. */
export function toGoError(error: unknown, requestId: string): GoErrorAnswer {
  const nothingMore = { detail: undefined, retryAfterSeconds: undefined };
  if (error instanceof GoError) return { status: error.status, text: error.message, ...nothingMore };
  if (isTooLarge(error)) return { status: 413, text: 'Request body too large', ...nothingMore };
  const known = toKnownError(error);
  if (known === undefined || known.statusCode === 500) {
    const text = `${FAILED}unexpected error; the log has its cause under request id ${requestId}`;
    return { status: 500, text, ...nothingMore };
  }
  const { statusCode, message } = known;
  if (statusCode === 401 || statusCode === 403 || statusCode === 429) {
    const retryAfterSeconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
    return { status: statusCode, text: message, detail: undefined, retryAfterSeconds };
  }
  const text = FAILED + goCause(error, message);
  return {
    status: 500,
    text,
    detail: headerText(`${statusCode}: ${message}`),
    retryAfterSeconds: undefined,
  };
}

/** Clients look for the two sentences of the Go aggregator. */
function goCause(error: unknown, message: string): string {
  switch (failureOf(error)) {
    case 'insufficient_connected_weight':
      return 'failed to connect to a threshold of stake';
    case 'insufficient_signatures':
    case 'insufficient_signing_weight':
      return 'failed to collect a threshold of signatures';
    default:
      return message;
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE';
}

/** Names of refusals come from validators: headers have printable ASCII. */
function headerText(text: string): string {
  return text
    .replaceAll('×', 'x')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, MAX_DETAIL);
}

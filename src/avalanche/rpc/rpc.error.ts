import { AvalancheError } from '../avalanche.error.js';

/**
 * - `NODE_UNREACHABLE`: no connection, connection lost, or the server cannot serve now (HTTP 429, 5xx);
 * - `NODE_TIMED_OUT`: no complete answer in time;
 * - `NODE_BAD_RESPONSE`: something answered, but not with what a node answers;
 * - `NODE_REJECTED`: the node itself answered a JSON-RPC error; see `rpcCode` and `rpcMessage`.
 */
export type RpcErrorCode = 'NODE_UNREACHABLE' | 'NODE_TIMED_OUT' | 'NODE_BAD_RESPONSE' | 'NODE_REJECTED';

export interface RpcErrorFacts {
  /** Host and port only: base URLs may carry credentials in their path or query. For logs: callers do not learn where nodes are. */
  readonly host: string;
  readonly method: string;
  /** Errors of other hosts before. */
  readonly earlier?: readonly string[];
  readonly httpStatus?: number | undefined;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs?: number | undefined;
  readonly rpcCode?: number;
  readonly rpcMessage?: string;
}

/** Longest text of a node that is kept in an error. */
const MAX_RPC_MESSAGE_LENGTH = 500;

/**
 * A call to a node failed. Texts of the node are cut and freed of control characters, URLs are never repeated. The message is fit for
 * callers and names no host, which the text form for logs does.
 */
export class RpcError extends AvalancheError<RpcErrorCode> {
  constructor(
    code: RpcErrorCode,
    readonly reason: string,
    readonly facts: RpcErrorFacts,
    options?: ErrorOptions,
  ) {
    super(code, `${facts.method}: ${reason}`, options);
  }

  override toString(): string {
    const { method, host, earlier = [] } = this.facts;
    const before = earlier.length === 0 ? '' : ` (before: ${earlier.join('; ')})`;
    return `${this.name}: ${method} at ${host}: ${this.reason}${before}`;
  }

  /** The node's own error code, when it answered with an error. */
  get rpcCode(): number | undefined {
    return this.facts.rpcCode;
  }

  /** The node's own error text (bounded), when it answered with an error. */
  get rpcMessage(): string | undefined {
    return this.facts.rpcMessage;
  }
}

/** Makes a text from outside fit for errors and logs. */
export function boundText(text: string, maxLength = MAX_RPC_MESSAGE_LENGTH): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

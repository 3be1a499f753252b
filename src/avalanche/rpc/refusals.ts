import { HttpPostError } from './http/http-post.js';
import type { RpcError } from './rpc.error.js';

/** An error that a node answered, for the request as a whole or for one of its calls. */
export interface RpcRefusal {
  readonly rpcCode: number;
  readonly rpcMessage: string;
}

/**
 * - `TOO_OFTEN`: the node would answer, were it not asked so much: the same request may pass later;
 * - `TOO_MUCH`: more than it takes or gives at once: a smaller request may pass now;
 * - `TOO_SLOW`: it ended its own work on it: a smaller request may pass now;
 * - `ANSWER`: everything else is the node's answer.
 */
export type RefusalKind = 'TOO_OFTEN' | 'TOO_MUCH' | 'TOO_SLOW' | 'ANSWER';

const EXECUTION_REVERTED_CODE = 3;
/**
 * Errors of contracts and of the virtual machine (libevm core/vm/errors.go), whatever limits they name. The first ones are followed by
 * words of the contract's choice.
 */
const EXECUTION_WORDS =
  /^(err: |evm: )?(execution reverted|execution aborted|vm (exception|execution)|stack (limit reached|underflow)|max (code|initcode) size|max call depth|invalid (opcode|jump|code)|return data out of bounds|write protection|nonce )|\bgas\b/i;

const RATE_WORDS =
  /\brate\b|throttl|quota|compute units|\brps\b|slow down|per (second|minute|hour|day)|\breq(uest)?s?\/s/i;
const SIZE_WORDS =
  /\bbatch|too (large|big|long)|\bsize\b|(more than \d+|too many) (results|blocks|logs)|blocks? range|(exceed\w*|limited to) .*\brange\b|\branges? (over|\d+ exceeds) /i;
const TIME_WORDS = /time(d )?[- ]?out|deadline exceeded|time limit/i;
const LIMIT_WORDS = /\blimit(s|ed)?\b|too many|\bbusy\b|capacity|try again/i;

/** go-ethereum's codes (rpc/errors.go), that of hosted nodes for their limits (EIP-1474), and HTTP's where it is repeated. */
const KIND_OF_CODE: ReadonlyMap<number, RefusalKind> = new Map([
  [429, 'TOO_OFTEN'],
  [-32002, 'TOO_SLOW'],
  [-32003, 'TOO_MUCH'],
  [-32005, 'TOO_OFTEN'],
]);

/** Nodes and the gateways before them have few codes and many words. */
export function kindOfRefusal({ rpcCode, rpcMessage }: RpcRefusal): RefusalKind {
  if (isExecutionMessage(rpcCode, rpcMessage)) return 'ANSWER';
  if (RATE_WORDS.test(rpcMessage)) return 'TOO_OFTEN';
  if (SIZE_WORDS.test(rpcMessage)) return 'TOO_MUCH';
  if (TIME_WORDS.test(rpcMessage)) return 'TOO_SLOW';
  return KIND_OF_CODE.get(rpcCode) ?? (LIMIT_WORDS.test(rpcMessage) ? 'TOO_OFTEN' : 'ANSWER');
}

/** The contract reverted, ran out of gas, or has other code than thought: its answer, in words that it may have chosen. */
export function isExecutionMessage(rpcCode: number | undefined, rpcMessage: string): boolean {
  return rpcCode === EXECUTION_REVERTED_CODE || EXECUTION_WORDS.test(rpcMessage);
}

/** The node would answer, were it not asked so much. */
export function isAskedTooOften(error: RpcError): boolean {
  const { httpStatus, retryAfterMs } = error.facts;
  return httpStatus === 429 || retryAfterMs !== undefined || kindOf(error) === 'TOO_OFTEN';
}

/** The answer was, or would be, larger than the node or we allow: it stays so for this call. */
export function isTooLarge(error: RpcError): boolean {
  const answer = error.cause instanceof HttpPostError && error.cause.failure === 'TOO_LARGE';
  return answer || error.facts.httpStatus === 413 || kindOf(error) === 'TOO_MUCH';
}

/** The node has ended its own work on it: less of it may pass. */
export function isTooSlow(error: RpcError): boolean {
  return error.code === 'NODE_TIMED_OUT' || kindOf(error) === 'TOO_SLOW';
}

/** How gateways in front of nodes refuse a method: forbidden, not there, not allowed. */
const NOT_OFFERED: ReadonlySet<number> = new Set([403, 404, 405]);

/** The node has no such method, or its operator does not offer it. */
export function isNotOffered({ code, facts }: RpcError): boolean {
  return code === 'NODE_REJECTED' || NOT_OFFERED.has(facts.httpStatus ?? 0);
}

function kindOf({ code, facts }: RpcError): RefusalKind {
  const { rpcCode, rpcMessage } = facts;
  if (code !== 'NODE_REJECTED' || rpcCode === undefined || rpcMessage === undefined) return 'ANSWER';
  return kindOfRefusal({ rpcCode, rpcMessage });
}

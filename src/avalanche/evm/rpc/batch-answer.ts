import type { HttpPostResponse } from '../../rpc/http/http-post.js';
import type { RpcRefusal } from '../../rpc/refusals.js';
import { boundText } from '../../rpc/rpc.error.js';

/** Answer of a batch about one of its calls. */
export type BatchElement =
  | { readonly kind: 'result'; readonly result: unknown }
  | ({ readonly kind: 'refused' } & RpcRefusal)
  | { readonly kind: 'garbage'; readonly reason: string };

/**
 * The answer's elements by the id of their request. A call without an answer has no entry; one with two has lost both.
 * Answers to what was never asked are left out. undefined when the answer is no list of objects, but e.g. one error.
 */
export function openBatchAnswer(
  answer: unknown,
  redact: (text: string) => string,
): ReadonlyMap<unknown, BatchElement> | undefined {
  if (!Array.isArray(answer)) return undefined;
  const elements = new Map<unknown, BatchElement>();
  for (const entry of answer as readonly unknown[]) {
    if (!isRecord(entry)) continue;
    const id = entry['id'];
    const twice = elements.has(id);
    elements.set(
      id,
      twice ? { kind: 'garbage', reason: 'two answers to one call' } : openElement(entry, redact),
    );
  }
  return elements;
}

/** One answer object; a null result is a result ("there is no such block"). */
export function openElement(value: unknown, redact: (text: string) => string): BatchElement {
  if (!isRecord(value)) return { kind: 'garbage', reason: 'not a JSON-RPC answer' };
  const refusal = refusalOf(value, redact);
  if (refusal) return { kind: 'refused', ...refusal };
  if (isPresent(value['error'])) return { kind: 'garbage', reason: 'not a JSON-RPC error' };
  const { result } = value;
  return result === undefined
    ? { kind: 'garbage', reason: 'answer without a result' }
    : { kind: 'result', result };
}

/** The error that an object carries, or undefined when it carries none that can be read. */
export function refusalOf(value: unknown, redact: (text: string) => string): RpcRefusal | undefined {
  if (!isRecord(value) || !isRecord(value['error'])) return undefined;
  const { code, message } = value['error'];
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return { rpcCode: code, rpcMessage: boundText(redact(message)) };
}

/** Some hosts report as HTTP 400 what others do in an answer, such as a range of blocks that is too wide. */
export function isRefusalAsStatus({ status, body }: Pick<HttpPostResponse, 'status' | 'body'>): boolean {
  if (status !== 400) return false;
  try {
    return refusalOf(JSON.parse(body.toString('utf8')), String) !== undefined;
  } catch {
    return false;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** One path of a node that takes JSON-RPC by POST. */
export interface RpcEndpoint {
  /** Refuses a request that is not a POST of JSON; undefined for one that is. */
  refuse(request: HttpRequestFacts): { readonly status: number; readonly body: string } | undefined;
  /** The answer to a body. Throws HttpFault. */
  answer(body: string, exceptions: MethodExceptions): string;
}

/** Overrides a method's answer in place of the chain behind it; undefined for most methods. */
export type MethodExceptions = (method: string) => 'missing' | ((params: unknown) => unknown) | undefined;

export interface HttpRequestFacts {
  readonly method: string;
  readonly contentType: string;
  readonly isJson: boolean;
}

/** Not JSON-RPC at all: what a node answers that is overloaded, or nothing. */
export class HttpFault extends Error {
  constructor(
    readonly answer:
      | { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, string>> }
      | 'silence',
  ) {
    super(answer === 'silence' ? 'no answer' : `HTTP ${answer.status}`);
  }
}

/** A path that a node does not have. */
export const NOT_FOUND = { status: 404, body: '404 page not found\n', headers: {} } as const;

/** A node that has too much to do. */
export function tooManyRequests(retryAfterSeconds: number): HttpFault {
  return new HttpFault({
    status: 429,
    body: 'too many requests\n',
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

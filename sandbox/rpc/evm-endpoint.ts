import { z } from 'zod';
import type { HttpRequestFacts, MethodExceptions, RpcEndpoint } from './endpoint.js';
import { PARSE_ERROR, INVALID_REQUEST, SERVER_ERROR } from './json-rpc-endpoint.js';

/** Requests in one batch: the node's default for `batch-request-limit`. */
const MAX_BATCH_REQUESTS = 1_000;

const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;

/** An error that the node answers as a JSON-RPC error. */
export class EvmFault extends Error {
  constructor(
    message: string,
    readonly code: number = SERVER_ERROR,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** Reads its parameters and returns the JSON of `result`. Throws EvmFault, HttpFault. */
export type EvmMethod = (params: readonly unknown[]) => unknown;

/** A method by its full name, e.g. `eth_blockNumber`; undefined for one that the node does not have. */
export type FindEvmMethod = (name: string) => EvmMethod | undefined;

/** A method whose first `required` parameters must be there; all of them unless given. */
export function evmMethod<T extends z.ZodTuple>(
  parameters: T,
  run: (values: z.output<T>) => unknown,
  required: number = parameters.def.items.length,
): EvmMethod {
  const most = parameters.def.items.length;
  return (params) => {
    if (params.length < required) {
      throw new EvmFault(`missing value for required argument ${params.length}`, INVALID_PARAMS);
    }
    if (params.length > most) {
      throw new EvmFault(`too many arguments, want at most ${most}`, INVALID_PARAMS);
    }
    const parsed = parameters.safeParse(params);
    if (parsed.success) return run(parsed.data);
    const [issue] = parsed.error.issues;
    throw new EvmFault(
      `invalid argument ${String(issue?.path[0])}: ${String(issue?.message)}`,
      INVALID_PARAMS,
    );
  };
}

const RequestSchema = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  params: z.unknown().optional(),
  // Absent in a notification. Whatever is no object and no list will do.
  id: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
});

type Answer = { readonly jsonrpc: '2.0'; readonly id: unknown } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
);

/** JSON-RPC as EVM chains offer it, with batches (avalanchego v1.14.2 graft/coreth; libevm rpc/http.go, rpc/json.go). */
export function makeEvmEndpoint(options: {
  readonly findMethod: FindEvmMethod;
  /** Called before each HTTP request. Throws HttpFault. */
  readonly answerOrNot: () => void;
}): RpcEndpoint {
  return {
    refuse,
    answer: (body, exceptions) => {
      options.answerOrNot();
      return answerBody(withExceptions(options.findMethod, exceptions), body);
    },
  };
}

function withExceptions(find: FindEvmMethod, exceptions: MethodExceptions): FindEvmMethod {
  return (name) => {
    const exception = exceptions(name);
    if (exception === undefined) return find(name);
    return exception === 'missing' ? undefined : exception;
  };
}

function refuse({ method, isJson }: HttpRequestFacts) {
  if (method === 'GET') return { status: 200, body: '' }; // for probes
  if (method !== 'POST') return { status: 405, body: 'method not allowed\n' };
  return isJson
    ? undefined
    : { status: 415, body: 'invalid content type, only application/json is supported\n' };
}

function answerBody(find: FindEvmMethod, body: string): string {
  if (body.trim() === '') return '';
  const request = parseJson(body);
  if (request === undefined) return JSON.stringify(errorAnswer(null, PARSE_ERROR, 'parse error'));
  if (!Array.isArray(request)) return toLine(answerOne(find, request));
  if (request.length === 0) return JSON.stringify(errorAnswer(null, INVALID_REQUEST, 'empty batch'));
  if (request.length > MAX_BATCH_REQUESTS) {
    return JSON.stringify([errorAnswer(idOf(request[0]), INVALID_REQUEST, 'batch too large')]);
  }
  const answers = request.map((entry) => answerOne(find, entry)).filter((answer) => answer !== undefined);
  return toLine(answers.length === 0 ? undefined : answers);
}

/** undefined for a notification. */
function answerOne(find: FindEvmMethod, value: unknown): Answer | undefined {
  const request = RequestSchema.safeParse(value);
  if (!request.success) return errorAnswer(idOf(value), INVALID_REQUEST, 'invalid request');
  const { method, params, id } = request.data;
  if (id === undefined) return undefined;
  try {
    return { jsonrpc: '2.0', id, result: run(find, method, params) };
  } catch (error) {
    if (!(error instanceof EvmFault)) throw error;
    return errorAnswer(id, error.code, error.message, error.data);
  }
}

function run(find: FindEvmMethod, name: string, params: unknown): unknown {
  const method = find(name);
  if (method === undefined) {
    throw new EvmFault(`the method ${name} does not exist/is not available`, METHOD_NOT_FOUND);
  }
  if (params === undefined || params === null) return method([]);
  if (!Array.isArray(params)) throw new EvmFault('non-array args', INVALID_PARAMS);
  return method(params);
}

function idOf(value: unknown): unknown {
  const parsed = z.object({ id: RequestSchema.shape.id }).safeParse(value);
  return parsed.data?.id ?? null;
}

function errorAnswer(id: unknown, code: number, message: string, data?: unknown): Answer {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function toLine(answer: object | undefined): string {
  return answer === undefined ? '' : `${JSON.stringify(answer)}\n`;
}

import { z, type ZodType } from 'zod';
import type { HttpRequestFacts, MethodExceptions, RpcEndpoint } from './endpoint.js';

/** Text of avalanchego v1.14.2 (utils/json/codec.go) for any argument it cannot read. */
const INVALID_ARGUMENT =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls";

export const SERVER_ERROR = -32_000;
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;

/** An error that the node answers with JSON-RPC's general code. */
export class RpcFault extends Error {}

/** One remote method: reads its parameters and returns the JSON of `result`. Throws RpcFault, HttpFault. */
export type RpcMethod = (params: unknown) => unknown;

/** Methods by the name that follows the service's, e.g. `getHeight`. */
export type RpcMethods = ReadonlyMap<string, RpcMethod>;

/** Methods as the parts of a service list them. */
export type MethodEntries = [string, RpcMethod][];

/** Methods of the real node that the sandbox knows of and does not have. */
type MissingMethods = ReadonlySet<string>;

export interface RpcService {
  readonly name: string;
  readonly methods: RpcMethods;
  readonly missing: MissingMethods;
}

/** A method with parameters; unknown ones are ignored and absent ones zero, as Go does it. */
export function method<T>(schema: ZodType<T>, run: (params: T) => unknown): RpcMethod {
  return (params) => {
    const parsed = schema.safeParse(firstOf(params) ?? {});
    if (!parsed.success) throw new RpcFault(INVALID_ARGUMENT);
    return run(parsed.data);
  };
}

const RequestSchema = z.object({
  jsonrpc: z.string().nullish(),
  method: z.string().nullish(),
  params: z.unknown().optional(),
  id: z.unknown().optional(),
});

type Request = z.infer<typeof RequestSchema>;

/** A service as the node's own JSON-RPC server offers it (avalanchego v1.14.2 api/server, gorilla/rpc). */
export function makeEndpoint(service: RpcService): RpcEndpoint {
  return { refuse, answer: (body, exceptions) => answerJsonRpc(service, body, exceptions) };
}

function refuse({ method: verb, contentType, isJson }: HttpRequestFacts) {
  if (verb !== 'POST') return { status: 405, body: `rpc: POST method required, received ${verb}` };
  return isJson ? undefined : { status: 415, body: `rpc: unrecognized Content-Type: ${contentType}` };
}

/** Answers one request body; an empty text for a notification. Throws HttpFault. */
function answerJsonRpc(service: RpcService, body: string, exceptions: MethodExceptions): string {
  const request = readRequest(body);
  if (typeof request === 'string') return errorAnswer(PARSE_ERROR, request, EMPTY_REQUEST);
  if (request.jsonrpc !== '2.0') {
    return errorAnswer(INVALID_REQUEST, 'jsonrpc must be 2.0', request, echo(request));
  }
  try {
    const name = request.method ?? '';
    const exception = exceptions(name);
    const run =
      typeof exception === 'function' ? exception : findMethod(service, name, exception === 'missing');
    const result = run(request.params);
    const { id } = request;
    return id === undefined || id === null ? '' : toLine({ jsonrpc: '2.0', result, id });
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    return errorAnswer(SERVER_ERROR, error.message, request, null);
  }
}

const EMPTY_REQUEST: Request = { jsonrpc: '', method: '', params: null, id: null };

/** The request, or Go's complaint about it. */
function readRequest(body: string): Request | string {
  if (body.trim() === '') return 'EOF';
  try {
    const json: unknown = JSON.parse(body);
    const request = RequestSchema.safeParse(json);
    if (request.success) return request.data;
    const kind = Array.isArray(json) ? 'array' : typeof json;
    return `json: cannot unmarshal ${kind} into Go value of type json2.serverRequest`;
  } catch {
    return 'invalid character in JSON';
  }
}

function findMethod({ name, methods, missing }: RpcService, fullName: string, isLeftOut: boolean): RpcMethod {
  const separator = fullName.indexOf('.');
  if (separator < 0) throw new RpcFault(`rpc: service/method request ill-formed: ${quote(fullName)}`);
  const methodName = fullName.slice(separator + 1);
  if (/^\p{Lu}/u.test(methodName)) throw new RpcFault('method must start with a non-uppercase letter');
  const goName = `${fullName.slice(0, separator)}.${methodName.charAt(0).toUpperCase()}${methodName.slice(1)}`;
  if (fullName.slice(0, separator) !== name) throw new RpcFault(`rpc: can't find service ${quote(goName)}`);
  const found = isLeftOut ? undefined : methods.get(methodName);
  if (found !== undefined) return found;
  if (!isLeftOut && missing.has(methodName)) {
    throw new RpcFault(`the sandbox does not simulate ${quote(fullName)}`);
  }
  throw new RpcFault(`rpc: can't find method ${quote(goName)}`);
}

function errorAnswer(code: number, message: string, request: Request, data: unknown = echo(request)): string {
  return toLine({ jsonrpc: '2.0', error: { code, message, data }, id: request.id ?? null });
}

function echo({ jsonrpc, method: name, params, id }: Request) {
  return { jsonrpc: jsonrpc ?? '', method: name ?? '', params: params ?? null, id: id ?? null };
}

/** Parameters come as an object, or as the only element of an array. */
function firstOf(params: unknown): unknown {
  const elements: unknown[] = Array.isArray(params) ? params : [params];
  return elements[0];
}

function toLine(answer: object): string {
  return `${JSON.stringify(answer)}\n`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

import { setTimeout as delay } from 'node:timers/promises';
import { z, type ZodType } from 'zod';
import { NodeUrl } from './http/node-url.js';
import { assertStatus, failureOfPost } from './http/http-answer.js';
import { type NodeCallListener, reportedTo } from './node-call.js';
import { HttpPostError, HttpPoster, type HttpPostResponse } from './http/http-post.js';
import { RpcError, type RpcErrorFacts, boundText } from './rpc.error.js';

/** The validators of the largest subnet are below 1 MB, the largest P-chain blocks below 2 MiB in hex; EVM nodes end a batch at 25 MB. */
export const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** A server that wants to be left alone for longer is not waited for. */
const MAX_RETRY_AFTER_MS = 2_000;
const RETRY_PAUSE_MS = 50;

/** Options common to the clients of one or more equal nodes. */
export interface RpcClientOptions {
  /** None: every call is rejected as NODE_UNREACHABLE. Tried in order; query parameters and `user:password@` are kept for every request. */
  readonly urls: readonly string[];
  /** For one answer of one node; a call may take this long once per URL. */
  readonly timeoutMs: number;
  readonly maxResponseBytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Hears of each request to a node. */
  readonly onCall?: NodeCallListener | undefined;
}

/** `urls`: without the path. */
export interface JsonRpcClientOptions extends RpcClientOptions {
  /** How often the nodes are asked when all of them refuse for now (HTTP 429, 5xx); once unless given. */
  readonly attempts?: number;
}

export interface JsonRpcCall<T> {
  /** Added to the base URL, e.g. `/ext/bc/P`. */
  readonly path: string;
  readonly method: string;
  readonly params: object;
  /** Schema of `result`; nothing is believed before it has passed. */
  readonly schema: ZodType<T>;
  readonly signal?: AbortSignal | undefined;
  /** Override the client's for this call. */
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
}

/** Options of every method of the typed clients. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

const EnvelopeSchema = z.object({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});

/**
 * JSON-RPC 2.0 over HTTP(S) for one network, with failover.
 *
 * The URL that worked last is asked first. The next one is tried when a node is unreachable, times out, answers 429 or
 * 5xx, or answers something that is not the expected JSON. A JSON-RPC error is an answer: no other node is asked.
 */
export class JsonRpcClient {
  private readonly nodes: readonly NodeUrl[];
  private preferred = 0;
  private lastRequestId = 0;

  constructor(
    private readonly options: JsonRpcClientOptions,
    private readonly poster = new HttpPoster(),
  ) {
    this.nodes = options.urls.map((url, index) => new NodeUrl(url, index));
  }

  /** Hosts of the configured nodes, fit for logs. */
  get hosts(): string[] {
    return this.nodes.map((node) => node.host);
  }

  /** One client per configured node, over the same connections, for questions on which nodes may differ. */
  perNode(): JsonRpcClient[] {
    return this.options.urls.map((url) => new JsonRpcClient({ ...this.options, urls: [url] }, this.poster));
  }

  /** Throws RpcError, or the signal's reason when the caller gave up. */
  async call<T>(call: JsonRpcCall<T>): Promise<T> {
    const { attempts = 1 } = this.options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.callOnce(call);
      } catch (error) {
        const pauseMs = attempt < attempts ? pauseAfter(error, attempt) : undefined;
        if (pauseMs === undefined) throw error;
        await delay(pauseMs, undefined, { signal: call.signal }).catch(() => call.signal?.throwIfAborted());
      }
    }
  }

  /** Closes idle connections; running calls fail. */
  close(): void {
    this.poster.close();
  }

  private async callOnce<T>(call: JsonRpcCall<T>): Promise<T> {
    if (this.nodes.length === 0) {
      throw new RpcError('NODE_UNREACHABLE', 'no node is configured', { host: 'none', method: call.method });
    }
    const failures: RpcError[] = [];
    for (const index of this.order()) {
      try {
        const node = this.nodeAt(index);
        const facts = { host: node.host, method: call.method };
        const result = await reportedTo(this.options.onCall, facts, () => this.ask(node, call, facts));
        this.preferred = index;
        return result;
      } catch (error) {
        call.signal?.throwIfAborted();
        if (!(error instanceof RpcError)) throw error;
        if (error.code === 'NODE_REJECTED') {
          this.preferred = index;
          throw error;
        }
        failures.push(error);
      }
    }
    throw combine(failures);
  }

  private order(): number[] {
    const start = this.preferred;
    return this.nodes.map((_, offset) => (start + offset) % this.nodes.length);
  }

  private nodeAt(index: number): NodeUrl {
    const node = this.nodes[index];
    if (node === undefined) throw new RangeError('no such RPC URL');
    return node;
  }

  private async ask<T>(node: NodeUrl, call: JsonRpcCall<T>, facts: RpcErrorFacts): Promise<T> {
    const id = ++this.lastRequestId;
    const response = await this.post(node, call, id, facts);
    assertStatus(response, facts);
    const result = openEnvelope(response.body, id, facts, node);
    const parsed = call.schema.safeParse(result);
    if (parsed.success) return parsed.data;
    throw new RpcError('NODE_BAD_RESPONSE', `unexpected result: ${describeIssue(parsed.error)}`, facts);
  }

  private async post(
    node: NodeUrl,
    call: JsonRpcCall<unknown>,
    id: number,
    facts: RpcErrorFacts,
  ): Promise<HttpPostResponse> {
    const { method, params, signal } = call;
    try {
      return await this.poster.post({
        url: node.withPath(call.path),
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...this.options.headers,
        },
        timeoutMs: call.timeoutMs ?? this.options.timeoutMs,
        maxResponseBytes:
          call.maxResponseBytes ?? this.options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
        signal,
      });
    } catch (error) {
      if (!(error instanceof HttpPostError)) throw error;
      throw failureOfPost(error, facts);
    }
  }
}

/** Before the next attempt; undefined when none makes sense soon. Longer after each, and not in step with other callers. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (
    !(error instanceof RpcError) ||
    error.facts.httpStatus === undefined ||
    error.code !== 'NODE_UNREACHABLE'
  ) {
    return undefined;
  }
  const { retryAfterMs = 0 } = error.facts;
  if (retryAfterMs > MAX_RETRY_AFTER_MS) return undefined;
  return retryAfterMs + RETRY_PAUSE_MS * 2 ** attempt * (0.5 + Math.random() / 2);
}

function openEnvelope(body: Buffer, id: number, facts: RpcErrorFacts, node: NodeUrl): unknown {
  const envelope = EnvelopeSchema.safeParse(parseJson(body, facts));
  if (!envelope.success) throw new RpcError('NODE_BAD_RESPONSE', 'not a JSON-RPC answer', facts);
  const { data } = envelope;
  if (data.error) {
    const rpcMessage = boundText(node.redact(data.error.message));
    throw new RpcError('NODE_REJECTED', rpcMessage, { ...facts, rpcCode: data.error.code, rpcMessage });
  }
  if (data.id !== id) throw new RpcError('NODE_BAD_RESPONSE', 'answer to another request', facts);
  if (data.result === undefined) throw new RpcError('NODE_BAD_RESPONSE', 'answer without a result', facts);
  return data.result;
}

function parseJson(body: Buffer, facts: RpcErrorFacts): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // V8's message quotes the input, which may be a proxy's error page with anything in it.
    throw new RpcError('NODE_BAD_RESPONSE', 'not JSON', facts);
  }
}

function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return boundText(issue ? `${issue.path.map(String).join('.')}: ${issue.message}` : 'unknown', 200);
}

function combine(failures: readonly RpcError[]): RpcError {
  const last = failures.at(-1);
  if (last === undefined) throw new RangeError('no RPC URL was asked');
  if (failures.length === 1) return last;
  const earlier = failures.slice(0, -1).map((failure) => `${failure.facts.host}: ${failure.reason}`);
  return new RpcError(last.code, last.reason, { ...last.facts, earlier }, { cause: last });
}

import { setTimeout as sleep } from 'node:timers/promises';
import { assertStatus, failureOfPost } from '../rpc/http-answer.js';
import { HttpPostError, HttpPoster, type HttpPostResponse } from '../rpc/http-post.js';
import { NodeUrl } from '../rpc/node-url.js';
import { RpcError, type RpcErrorFacts, boundText } from '../rpc/rpc.error.js';
import { AdaptiveBatchSize } from './adaptive-batch-size.js';
import { type BatchElement, isLimit, openBatchAnswer, openElement, refusalOf } from './batch-answer.js';
import { EvmError } from './evm.error.js';

/** Self-hosted nodes end a batch at 25 MB of results, hex and names not counted. */
export const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Nodes allow 1000 calls; a batch should still be a fraction of a second's work for them. */
export const DEFAULT_MAX_BATCH_SIZE = 200;
export const DEFAULT_CONCURRENCY = 4;
/** Longer waits belong to the caller, who can give its place to somebody else meanwhile. */
export const DEFAULT_MAX_REST_MS = 30_000;
export const DEFAULT_RETRY_DELAY_MS = 250;

/** Failed answers (not: answers that were too large) a call may see from each node before it fails. */
const ATTEMPTS_PER_NODE = 3;

export interface BatchRpcClientOptions {
  /** Whole URLs of equal nodes, e.g. `https://host/ext/bc/C/rpc`, tried in order; credentials in them are kept. */
  readonly urls: readonly string[];
  /** For one answer of one node. */
  readonly timeoutMs: number;
  readonly maxResponseBytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBatchSize?: number;
  /** Batches of one `callMany` in flight. */
  readonly concurrency?: number;
  /** Longest time to heed a server's wish to be left alone (`Retry-After`). */
  readonly maxRestMs?: number;
  /** Pause before the second attempt when no other node is left; doubles with each. */
  readonly retryDelayMs?: number;
}

export interface EvmCall<T> {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Reads the result, which may be anything; throws EvmError `MALFORMED`, which sends the call to the next node. */
  readonly parse: (result: unknown) => T;
}

/** One call's end; `error` has the code NODE_REJECTED when the node itself refused. */
export type EvmCallOutcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: RpcError };

interface Task<T> {
  readonly call: EvmCall<T>;
  outcome?: EvmCallOutcome<T>;
  failedAttempts: number;
  lastFailure?: RpcError;
}

/** The calls of one `callMany`. */
interface Run<T> {
  readonly queue: Task<T>[];
  /** Requests in a row that brought no answer to any call. */
  unanswered: number;
}

interface Node {
  readonly url: NodeUrl;
  readonly batchSize: AdaptiveBatchSize;
  restsUntilMs: number;
}

/**
 * JSON-RPC 2.0 batches over HTTP(S) to equal nodes, with failover.
 *
 * Many calls become batches of a size that follows what the node bears: it grows by one with every full batch and is
 * halved when the node speaks of a limit, answers 413, 429 or 5xx, sends too much or too late. Every answer is matched by
 * its id; a missing or unreadable one is that call's failure, which goes on to the next node alone. A JSON-RPC error that
 * is no limit is an answer. A batch of one is sent as a plain object, which also nodes without batches understand.
 */
export class BatchRpcClient {
  private readonly nodes: readonly Node[];
  private preferred = 0;
  private lastRequestId = 0;

  constructor(
    private readonly options: BatchRpcClientOptions,
    private readonly poster = new HttpPoster(),
  ) {
    if (options.urls.length === 0) throw new TypeError('at least one RPC URL is needed');
    const maxBatchSize = options.maxBatchSize ?? DEFAULT_MAX_BATCH_SIZE;
    this.nodes = options.urls.map((url, index) => ({
      url: new NodeUrl(url, index),
      batchSize: new AdaptiveBatchSize(maxBatchSize),
      restsUntilMs: 0,
    }));
  }

  /** Hosts of the configured nodes, fit for logs. */
  get hosts(): string[] {
    return this.nodes.map((node) => node.url.host);
  }

  /** Calls that the preferred node takes in one request now. */
  get batchSize(): number {
    return this.nodeAt(this.preferred).batchSize.current;
  }

  /** @throws RpcError, or the signal's reason when the caller gave up. */
  async call<T>(call: EvmCall<T>, signal?: AbortSignal): Promise<T> {
    const [outcome] = await this.callMany([call], signal);
    if (outcome?.ok) return outcome.value;
    throw outcome?.error ?? new RangeError('a call ended without an outcome');
  }

  /** As many outcomes as calls, in their order. Rejects only with the signal's reason, or for a fault of `parse`. */
  async callMany<T>(calls: readonly EvmCall<T>[], signal?: AbortSignal): Promise<EvmCallOutcome<T>[]> {
    const tasks = calls.map((call): Task<T> => ({ call, failedAttempts: 0 }));
    const run: Run<T> = { queue: [...tasks], unanswered: 0 };
    const workers = Math.min(this.options.concurrency ?? DEFAULT_CONCURRENCY, tasks.length);
    // One worker's rejection must not leave the others asking for a result that nobody waits for.
    const stop = new AbortController();
    const combined = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    try {
      await Promise.all(Array.from({ length: workers }, () => this.work(run, combined)));
    } catch (error) {
      stop.abort(error);
      throw error;
    }
    return tasks.map(({ outcome }) => {
      if (outcome === undefined) throw new RangeError('a call ended without an outcome');
      return outcome;
    });
  }

  /** Closes idle connections; running calls fail. */
  close(): void {
    this.poster.close();
  }

  private async work<T>(run: Run<T>, signal: AbortSignal): Promise<void> {
    const { queue } = run;
    while (queue.length > 0) {
      signal.throwIfAborted();
      const index = this.nodeToAsk();
      const node = this.nodeAt(index);
      const restMs = node.restsUntilMs - Date.now();
      if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      const tasks = queue.splice(0, node.batchSize.current);
      if (tasks.length === 0) return;
      const unfinished = await this.send(node, tasks, signal);
      if (tasks.some(isAnswered)) run.unanswered = 0;
      else if (tasks.some(hasFailed)) run.unanswered += 1;
      // In front: heights near the start are what the caller waits for first.
      queue.unshift(...unfinished);
      if (unfinished.length === 0) this.preferred = index;
      else if (unfinished.some(hasFailed) && this.preferred === index) this.preferred = this.after(index);
      if (run.unanswered >= this.maxUnanswered) giveUp(queue);
    }
  }

  /** Nobody answers: hundreds of calls need not find that out one by one, with a rest before each. */
  private get maxUnanswered(): number {
    return ATTEMPTS_PER_NODE * this.nodes.length + (this.options.concurrency ?? DEFAULT_CONCURRENCY);
  }

  /** The preferred node, or the first after it that rests not or less. */
  private nodeToAsk(): number {
    const now = Date.now();
    let best = this.preferred;
    for (let offset = 1; offset < this.nodes.length; offset += 1) {
      if (this.nodeAt(best).restsUntilMs <= now) break;
      const candidate = (this.preferred + offset) % this.nodes.length;
      if (this.nodeAt(candidate).restsUntilMs < this.nodeAt(best).restsUntilMs) best = candidate;
    }
    return best;
  }

  private after(index: number): number {
    return (index + 1) % this.nodes.length;
  }

  private nodeAt(index: number): Node {
    const node = this.nodes[index];
    if (node === undefined) throw new RangeError('no such RPC URL');
    return node;
  }

  /** Sends one batch; returns the tasks that need another attempt. */
  private async send<T>(node: Node, tasks: readonly Task<T>[], signal: AbortSignal): Promise<Task<T>[]> {
    const firstId = this.lastRequestId + 1;
    this.lastRequestId += tasks.length;
    let answer: unknown;
    try {
      answer = parseJson(await this.post(node, tasks, firstId, signal), factsOf(node, tasks));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RpcError)) throw error;
      return this.failBatch(node, tasks, error);
    }
    const redact = (text: string) => node.url.redact(text);
    if (tasks.length === 1 && !Array.isArray(answer)) {
      return this.settleAll(node, tasks, firstId, singleAnswer(answer, firstId, redact));
    }
    const elements = openBatchAnswer(answer, redact);
    if (elements) return this.settleAll(node, tasks, firstId, elements);
    return this.refuseBatch(node, tasks, refusalOf(answer, redact)?.rpcMessage);
  }

  private settleAll<T>(
    node: Node,
    tasks: readonly Task<T>[],
    firstId: number,
    elements: ReadonlyMap<unknown, BatchElement>,
  ): Task<T>[] {
    // A node that could not take the batch says so once, in the place of the first call or of those it gave up.
    const overLimit = tasks.length > 1 && [...elements.values()].some(isOverLimit);
    const unfinished: Task<T>[] = [];
    let failed = false;
    for (const [position, task] of tasks.entries()) {
      const element = elements.get(firstId + position) ?? MISSING;
      if (overLimit && (element === MISSING || isOverLimit(element))) {
        unfinished.push(task);
        continue;
      }
      const error = settle(task, element, factsOf(node, [task]));
      if (error === undefined) continue;
      failed = true;
      if (this.countFailure(task, error)) unfinished.push(task);
    }
    if (overLimit) node.batchSize.shrink(tasks.length);
    else if (failed) this.rest(node, unfinished, undefined);
    else node.batchSize.grow(tasks.length);
    return unfinished;
  }

  /** One error for a whole list: too long, or batches are unknown to the node. Fewer calls end at a plain object. */
  private refuseBatch<T>(node: Node, tasks: readonly Task<T>[], rpcMessage?: string): Task<T>[] {
    if (rpcMessage !== undefined && tasks.length > 1) {
      node.batchSize.shrink(tasks.length);
      return [...tasks];
    }
    const error = new RpcError('NODE_BAD_RESPONSE', 'not a JSON-RPC answer', factsOf(node, tasks));
    return this.failBatch(node, tasks, error);
  }

  /** No answer at all. */
  private failBatch<T>(node: Node, tasks: readonly Task<T>[], error: RpcError): Task<T>[] {
    if (isTooMuchAtOnce(error) && tasks.length > 1) {
      node.batchSize.shrink(tasks.length);
      // Only the size is to blame: asking again for less is not another attempt, and halving ends at one.
      if (isTooLarge(error)) return [...tasks];
    }
    const unfinished = tasks.filter((task) => this.countFailure(task, error));
    this.rest(node, unfinished, error.facts.retryAfterMs);
    return unfinished;
  }

  /** Whether the task may be tried again; otherwise the error is its outcome. */
  private countFailure<T>(task: Task<T>, error: RpcError): boolean {
    task.failedAttempts += 1;
    task.lastFailure = error;
    const restMs = error.facts.retryAfterMs ?? 0;
    const hasOtherNodes = this.nodes.length > 1;
    const mayRetry =
      task.failedAttempts < ATTEMPTS_PER_NODE * this.nodes.length &&
      (hasOtherNodes || restMs <= this.maxRestMs) &&
      !isTooLarge(error);
    if (!mayRetry) task.outcome = { ok: false, error };
    return mayRetry;
  }

  /** Leaves the node alone for a while, so that the next one is asked, or this one later. */
  private rest<T>(node: Node, tasks: readonly Task<T>[], retryAfterMs: number | undefined): void {
    const attempts = Math.max(1, ...tasks.map((task) => Math.ceil(task.failedAttempts / this.nodes.length)));
    const delayMs = (this.options.retryDelayMs ?? DEFAULT_RETRY_DELAY_MS) * 2 ** (attempts - 1);
    const restMs = Math.min(Math.max(retryAfterMs ?? 0, delayMs), this.maxRestMs);
    node.restsUntilMs = Math.max(node.restsUntilMs, Date.now() + restMs);
  }

  private get maxRestMs(): number {
    return this.options.maxRestMs ?? DEFAULT_MAX_REST_MS;
  }

  private async post<T>(
    node: Node,
    tasks: readonly Task<T>[],
    firstId: number,
    signal: AbortSignal,
  ): Promise<HttpPostResponse> {
    const requests = tasks.map(({ call }, position) => {
      return { jsonrpc: '2.0', id: firstId + position, method: call.method, params: call.params };
    });
    const facts = factsOf(node, tasks);
    try {
      const response = await this.poster.post({
        url: node.url.withPath(''),
        body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...this.options.headers,
        },
        timeoutMs: this.options.timeoutMs,
        maxResponseBytes: this.options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
        signal,
      });
      assertStatus(response, facts);
      return response;
    } catch (error) {
      if (!(error instanceof HttpPostError)) throw error;
      throw failureOfPost(error, facts);
    }
  }
}

function isAnswered<T>({ outcome }: Task<T>): boolean {
  return outcome !== undefined && (outcome.ok || outcome.error.code === 'NODE_REJECTED');
}

/** Those that were not asked yet fail like those that were. */
function giveUp<T>(queue: Task<T>[]): void {
  const error = queue.find(({ lastFailure }) => lastFailure !== undefined)?.lastFailure;
  if (error === undefined) return;
  for (const task of queue.splice(0)) task.outcome = { ok: false, error: task.lastFailure ?? error };
}

function hasFailed<T>(task: Task<T>): boolean {
  return task.failedAttempts > 0;
}

const MISSING: BatchElement = { kind: 'garbage', reason: 'no answer to this call' };

/** The answer was, or would be, larger than the node or we allow: it stays so for this call. */
export function isTooLarge(error: RpcError): boolean {
  const { httpStatus, rpcCode } = error.facts;
  const answer = error.cause instanceof HttpPostError && error.cause.failure === 'TOO_LARGE';
  return answer || httpStatus === 413 || rpcCode === -32003;
}

function isTooMuchAtOnce(error: RpcError): boolean {
  const { httpStatus = 0 } = error.facts;
  return isTooLarge(error) || error.code === 'NODE_TIMED_OUT' || httpStatus === 429 || httpStatus >= 500;
}

function isOverLimit(element: BatchElement): boolean {
  return element.kind === 'refused' && isLimit(element);
}

/** Keeps the task's outcome; the error when the element is none and the call may be tried elsewhere. */
function settle<T>(task: Task<T>, element: BatchElement, facts: RpcErrorFacts): RpcError | undefined {
  if (element.kind === 'garbage') return new RpcError('NODE_BAD_RESPONSE', element.reason, facts);
  if (element.kind === 'refused') {
    const { rpcCode, rpcMessage } = element;
    const error = new RpcError('NODE_REJECTED', rpcMessage, { ...facts, rpcCode, rpcMessage });
    if (isLimit(element)) return error;
    task.outcome = { ok: false, error };
    return undefined;
  }
  try {
    task.outcome = { ok: true, value: task.call.parse(element.result) };
    return undefined;
  } catch (error) {
    if (!(error instanceof EvmError)) throw error;
    return new RpcError('NODE_BAD_RESPONSE', `unexpected result: ${boundText(error.message, 200)}`, facts, {
      cause: error,
    });
  }
}

/** The answer to a call that was sent alone. An error may come without an id, when the request could not be read. */
function singleAnswer(
  answer: unknown,
  id: number,
  redact: (text: string) => string,
): ReadonlyMap<unknown, BatchElement> {
  const element = openElement(answer, redact);
  const isOurs =
    element.kind !== 'result' ||
    (typeof answer === 'object' && answer !== null && 'id' in answer && answer.id === id);
  return new Map([[id, isOurs ? element : { kind: 'garbage', reason: 'answer to another request' }]]);
}

function factsOf<T>(node: Node, tasks: readonly Task<T>[]): RpcErrorFacts {
  const [first] = tasks;
  const method = first?.call.method ?? 'empty batch';
  return {
    host: node.url.host,
    method: tasks.length > 1 ? `${method} and ${tasks.length - 1} more` : method,
  };
}

function parseJson({ body }: HttpPostResponse, facts: RpcErrorFacts): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // V8's message quotes the input, which may be a proxy's error page with anything in it.
    throw new RpcError('NODE_BAD_RESPONSE', 'not JSON', facts);
  }
}

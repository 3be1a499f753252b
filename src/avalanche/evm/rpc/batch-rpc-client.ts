import { setTimeout as delay } from 'node:timers/promises';
import { assertStatus, failureOfPost } from '../../rpc/http/http-answer.js';
import { DEFAULT_MAX_WAIT_MS, type HostLimiter, HostLimiters } from '../../rpc/http/host-limiter.js';
import { HttpPostError, HttpPoster, type HttpPostResponse } from '../../rpc/http/http-post.js';
import { DEFAULT_MAX_RESPONSE_BYTES, type RpcClientOptions } from '../../rpc/json-rpc-client.js';
import { reportedTo } from '../../rpc/node-call.js';
import { NodeUrl } from '../../rpc/http/node-url.js';
import { isAskedTooOften, isTooLarge, kindOfRefusal, type RpcRefusal } from '../../rpc/refusals.js';
import { RpcError, type RpcErrorFacts, boundText } from '../../rpc/rpc.error.js';
import { AdaptiveBatchSize } from './adaptive-batch-size.js';
import {
  type BatchElement,
  isRefusalAsStatus,
  openBatchAnswer,
  openElement,
  refusalOf,
} from './batch-answer.js';
import { Turns } from '../../turns.js';
import { EvmError } from '../evm.error.js';
import { OneAtATime } from './one-at-a-time.js';

/** Nodes allow 1000 calls; a batch should still be a fraction of a second's work for them. */
const DEFAULT_MAX_BATCH_SIZE = 200;
const DEFAULT_CONCURRENCY = 4;
/** Not worth being divided. */
const SMALL_BATCH = 20;
const DEFAULT_RETRY_DELAY_MS = 250;

/** Large answers take a while to read, in which the rows of the last ones go to the database, and heartbeats must go out. */
const MAX_TURN_MS = 1;

/** Failed answers (not: those that were too large, or came too often) a call may see from each node before it fails. */
const ATTEMPTS_PER_NODE = 3;

/** `urls`: whole ones, e.g. `https://host/ext/bc/C/rpc`. */
export interface BatchRpcClientOptions extends RpcClientOptions {
  readonly maxBatchSize?: number;
  /** Batches of one `callMany` in flight. */
  readonly concurrency?: number;
  /** Longest time to wait for nodes that want to be left alone. */
  readonly maxRestMs?: number;
  /** Shared by all who ask the same hosts; its own when left out. */
  readonly limiters?: HostLimiters;
  /** Pause before the second attempt when no other node is left; doubles with each. */
  readonly retryDelayMs?: number;
}

export interface EvmCall<T> {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Reads the result, which may be anything; throws EvmError `MALFORMED`, which sends the call to the next node. */
  readonly parse: (result: unknown) => T;
}

/**
 * One call's end; `error` has the code NODE_REJECTED when the node itself refused. Answers with the same `request` came in one HTTP
 * answer, thus from one node, even where a URL has several behind it.
 */
export type EvmCallOutcome<T> =
  | { readonly ok: true; readonly value: T; readonly request: number }
  | { readonly ok: false; readonly error: RpcError };

interface Task<T> {
  readonly call: EvmCall<T>;
  outcome?: EvmCallOutcome<T>;
  failedAttempts: number;
  lastFailure?: RpcError;
}

/** The calls of one `callMany`. */
interface Run<T> {
  readonly queue: Task<T>[];
  /** Nodes answer the calls of a batch one after the other: no batch waits for what another could have asked meanwhile. */
  readonly maxBatch: number;
  /** Requests in a row that brought no answer to any call. */
  unanswered: number;
  /** When the first was sent of the requests in a row that were refused for being too many. */
  limitedSinceMs?: number | undefined;
}

/** The calls of one request. */
interface Batch<T> {
  readonly run: Run<T>;
  readonly node: Node;
  readonly tasks: readonly Task<T>[];
  readonly firstId: number;
  readonly facts: RpcErrorFacts;
  /** Lets the next answer be read. */
  endReading?: () => void;
}

interface Node {
  readonly url: NodeUrl;
  readonly endpoint: URL;
  readonly batchSize: AdaptiveBatchSize;
  readonly limiter: HostLimiter;
  restsUntilMs: number;
}

/**
 * JSON-RPC 2.0 batches over HTTP(S) to equal nodes, with failover.
 *
 * Many calls become batches of a size that follows what the node bears: it grows by one with every full batch and is
 * halved when the node speaks of a size, answers 400, 413 or 5xx, sends too much or too late. A node that is asked too often is
 * left alone instead, by everybody in this process: see HostLimiter. Every answer is matched by its id; a missing or unreadable
 * one is that call's failure, which goes on to the next node alone. A JSON-RPC error that is no limit is an answer. A batch of
 * one is sent as a plain object, which also nodes without batches understand.
 */
export class BatchRpcClient {
  private readonly nodes: readonly Node[];
  private preferred = 0;
  /** Opened, an answer takes several times as much memory. */
  private readonly reading = new OneAtATime();
  private lastRequestId = 0;

  constructor(
    private readonly options: BatchRpcClientOptions,
    private readonly poster = new HttpPoster(),
  ) {
    if (options.urls.length === 0) throw new TypeError('at least one RPC URL is needed');
    const { maxBatchSize = DEFAULT_MAX_BATCH_SIZE, limiters = new HostLimiters() } = options;
    this.nodes = options.urls.map((text, index) => {
      const url = new NodeUrl(text, index);
      const batchSize = new AdaptiveBatchSize(maxBatchSize);
      const [endpoint, limiter] = [url.withPath(''), limiters.of(url.host)];
      return { url, endpoint, batchSize, limiter, restsUntilMs: 0 };
    });
  }

  /** Hosts of the configured nodes, fit for logs. */
  get hosts(): string[] {
    return this.nodes.map((node) => node.url.host);
  }

  /** Throws RpcError, or the signal's reason when the caller gave up. */
  async call<T>(call: EvmCall<T>, signal?: AbortSignal): Promise<T> {
    const [outcome] = await this.callMany([call], signal);
    if (outcome?.ok) return outcome.value;
    throw outcome?.error ?? new RangeError('a call ended without an outcome');
  }

  /** As many outcomes as calls, in their order. Rejects only with the signal's reason, or for a fault of `parse`. */
  async callMany<T>(calls: readonly EvmCall<T>[], signal?: AbortSignal): Promise<EvmCallOutcome<T>[]> {
    const tasks = calls.map((call): Task<T> => ({ call, failedAttempts: 0 }));
    const workers = Math.min(this.options.concurrency ?? DEFAULT_CONCURRENCY, tasks.length);
    const run: Run<T> = { queue: [...tasks], maxBatch: shareOf(tasks.length, workers), unanswered: 0 };
    if (workers === 1) await this.work(run, signal);
    else await this.workTogether(workers, run, signal);
    return tasks.map(({ outcome }) => {
      if (outcome === undefined) throw new RangeError('a call ended without an outcome');
      return outcome;
    });
  }

  /** Closes idle connections; running calls fail. */
  close(): void {
    this.poster.close();
  }

  /** One worker's rejection must not leave the others requesting results that are no longer needed. */
  private async workTogether<T>(
    workers: number,
    run: Run<T>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const stop = new AbortController();
    const combined = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    try {
      await Promise.all(Array.from({ length: workers }, () => this.work(run, combined)));
    } catch (error) {
      stop.abort(error);
      throw error;
    }
  }

  private async work<T>(run: Run<T>, signal: AbortSignal | undefined): Promise<void> {
    const { queue } = run;
    while (queue.length > 0) {
      signal?.throwIfAborted();
      const index = this.nodeToAsk();
      const node = this.nodeAt(index);
      const restMs = node.restsUntilMs - performance.now();
      if (restMs > 0) await delay(restMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
      const tasks = queue.splice(0, Math.min(node.batchSize.current, run.maxBatch));
      if (tasks.length === 0) return;
      const unfinished = await this.send(run, node, tasks, signal);
      if (tasks.some(isAnswered)) run.unanswered = 0;
      else if (tasks.some(hasFailed)) run.unanswered += 1;
      // In front: heights near the start are what the caller waits for first.
      queue.unshift(...unfinished);
      if (unfinished.length === 0) this.preferred = index;
      else if (unfinished.some(hasFailed) && this.preferred === index) this.preferred = this.after(index);
      if (run.unanswered >= this.maxUnanswered) giveUp(queue);
    }
  }

  /** No node answers: hundreds of calls need not discover that one by one, with a pause before each. */
  private get maxUnanswered(): number {
    return ATTEMPTS_PER_NODE * this.nodes.length + (this.options.concurrency ?? DEFAULT_CONCURRENCY);
  }

  /** The preferred node, or the first after it that rests not or less. */
  private nodeToAsk(): number {
    let best = this.preferred;
    for (let offset = 1; offset < this.nodes.length; offset += 1) {
      if (restMsOf(this.nodeAt(best)) <= 0) break;
      const candidate = (this.preferred + offset) % this.nodes.length;
      if (restMsOf(this.nodeAt(candidate)) < restMsOf(this.nodeAt(best))) best = candidate;
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

  /** Sends one batch when the node's host can bear it; returns the tasks that need another attempt. */
  private async send<T>(
    run: Run<T>,
    node: Node,
    tasks: readonly Task<T>[],
    signal: AbortSignal | undefined,
  ): Promise<Task<T>[]> {
    const firstId = this.lastRequestId + 1;
    this.lastRequestId += tasks.length;
    const facts = factsOf(node, tasks);
    const batch: Batch<T> = { run, node, tasks, firstId, facts };
    const startedMs = performance.now();
    try {
      const elements = await node.limiter.ask({
        run: () => this.reportedAsk(batch, signal),
        limitIn: (found) => limitAmong(found, facts),
        method: facts.method,
        calls: tasks.length,
        maxWaitMs: this.maxRestMs,
        signal,
      });
      return await this.settleAll(batch, elements, startedMs);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof RpcError)) throw error;
      return isAskedTooOften(error)
        ? this.holdBack(batch, tasks, error, startedMs)
        : this.failBatch(batch, error);
    } finally {
      batch.endReading?.();
    }
  }

  private reportedAsk<T>(
    batch: Batch<T>,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<unknown, BatchElement>> {
    const { node, tasks } = batch;
    const call = { host: node.url.host, method: tasks[0]?.call.method ?? 'none' };
    return reportedTo(this.options.onCall, call, () => this.ask(batch, signal));
  }

  /** The node's answers by the ids of their calls. */
  private async ask<T>(
    batch: Batch<T>,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<unknown, BatchElement>> {
    const { node, tasks, firstId, facts } = batch;
    const response = await this.post(batch, signal);
    batch.endReading = await this.reading.begin();
    // Of a batch it may be about the batch: fewer calls at once may pass.
    if (tasks.length > 1 || !isRefusalAsStatus(response)) assertStatus(response, facts);
    const answer = parseJson(response, facts);
    const redact = (text: string) => node.url.redact(text);
    if (tasks.length === 1 && !Array.isArray(answer)) return singleAnswer(answer, firstId, redact);
    const elements = openBatchAnswer(answer, redact);
    if (elements) return elements;
    const refusal = refusalOf(answer, redact);
    throw refusal === undefined
      ? new RpcError('NODE_BAD_RESPONSE', 'not a JSON-RPC answer', facts)
      : rejection(refusal, facts);
  }

  private async settleAll<T>(
    batch: Batch<T>,
    elements: ReadonlyMap<unknown, BatchElement>,
    startedMs: number,
  ): Promise<Task<T>[]> {
    const { run, node, tasks, firstId, facts } = batch;
    const limit = limitAmong(elements, facts);
    // A node that could not take the batch reports so once, in the place of the first call or of those it gave up.
    const isOversize = tasks.length > 1 && [...elements.values()].some(isAboutSize);
    const limited: Task<T>[] = [];
    const unfinished: Task<T>[] = [];
    let failed = false;
    const turns = new Turns(MAX_TURN_MS);
    for (const [position, task] of tasks.entries()) {
      await turns.next();
      const element = elements.get(firstId + position) ?? MISSING;
      if (isOversize && (element === MISSING || isAboutSize(element))) {
        unfinished.push(task);
      } else if (limit && (element === MISSING || isAboutRate(element))) {
        limited.push(task);
      } else {
        const error = settle(task, element, batch);
        if (error === undefined) continue;
        failed = true;
        if (this.countFailure(task, error)) unfinished.push(task);
      }
    }
    if (tasks.some(isAnswered)) run.limitedSinceMs = undefined;
    if (isOversize) node.batchSize.shrink(tasks.length);
    else if (failed) this.rest(node, unfinished);
    else if (!limit) node.batchSize.grow(tasks.length);
    return limit ? [...unfinished, ...this.holdBack(batch, limited, limit, startedMs)] : unfinished;
  }

  /** Throttled: the calls have not failed as long as some node can be asked soon enough. */
  private holdBack<T>(
    { run, node, tasks }: Batch<T>,
    limited: readonly Task<T>[],
    error: RpcError,
    startedMs: number,
  ): Task<T>[] {
    run.limitedSinceMs ??= startedMs;
    const restMs = Math.min(...this.nodes.map(restMsOf));
    if (performance.now() + restMs - run.limitedSinceMs <= this.maxRestMs) return [...limited];
    // It may be that no batch of this size ever fits what the node gives in the time that it counts in.
    node.batchSize.shrink(tasks.length);
    const retryAfterMs = error.facts.retryAfterMs ?? restMs;
    const failure = new RpcError(
      error.code,
      error.reason,
      { ...error.facts, retryAfterMs },
      { cause: error },
    );
    for (const task of [...limited, ...run.queue.splice(0)]) task.outcome = { ok: false, error: failure };
    return [];
  }

  /** No answer at all. */
  private failBatch<T>({ node, tasks }: Batch<T>, error: RpcError): Task<T>[] {
    if (tasks.length > 1) {
      // Only the size is to blame: asking again for less is not another attempt, and halving ends at one.
      const isOversize =
        isTooLarge(error) || error.code === 'NODE_REJECTED' || error.facts.httpStatus === 400;
      if (isOversize || isTooMuchWork(error)) node.batchSize.shrink(tasks.length);
      if (isOversize) return [...tasks];
    }
    const unfinished = tasks.filter((task) => this.countFailure(task, error));
    this.rest(node, unfinished);
    return unfinished;
  }

  /** Whether the task may be tried again; otherwise the error is its outcome. */
  private countFailure<T>(task: Task<T>, error: RpcError): boolean {
    task.failedAttempts += 1;
    task.lastFailure = error;
    const mayRetry = task.failedAttempts < ATTEMPTS_PER_NODE * this.nodes.length && !isTooLarge(error);
    if (!mayRetry) task.outcome = { ok: false, error };
    return mayRetry;
  }

  /** Leaves the node alone for a while, so that the next one is asked, or this one later. */
  private rest<T>(node: Node, tasks: readonly Task<T>[]): void {
    const attempts = Math.max(1, ...tasks.map((task) => Math.ceil(task.failedAttempts / this.nodes.length)));
    const delayMs = (this.options.retryDelayMs ?? DEFAULT_RETRY_DELAY_MS) * 2 ** (attempts - 1);
    node.restsUntilMs = Math.max(node.restsUntilMs, performance.now() + Math.min(delayMs, this.maxRestMs));
  }

  private get maxRestMs(): number {
    return this.options.maxRestMs ?? DEFAULT_MAX_WAIT_MS;
  }

  private async post<T>(
    { node, tasks, firstId, facts }: Batch<T>,
    signal: AbortSignal | undefined,
  ): Promise<HttpPostResponse> {
    const requests = tasks.map(({ call }, position) => {
      return { jsonrpc: '2.0', id: firstId + position, method: call.method, params: call.params };
    });
    try {
      return await this.poster.post({
        url: node.endpoint,
        body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...this.options.headers,
        },
        timeoutMs: this.options.timeoutMs,
        maxResponseBytes: this.options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
        signal,
      });
    } catch (error) {
      if (!(error instanceof HttpPostError)) throw error;
      throw failureOfPost(error, facts);
    }
  }
}

function shareOf(calls: number, workers: number): number {
  return Math.max(SMALL_BATCH, Math.ceil(calls / workers));
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

/** Less may take the node less long. */
function isTooMuchWork({ code, facts: { httpStatus = 0 } }: RpcError): boolean {
  return code === 'NODE_TIMED_OUT' || httpStatus >= 500;
}

function isAboutRate(element: BatchElement): boolean {
  return element.kind === 'refused' && kindOfRefusal(element) === 'TOO_OFTEN';
}

/** Fewer calls in one batch may pass. */
function isAboutSize(element: BatchElement): boolean {
  if (element.kind !== 'refused') return false;
  const kind = kindOfRefusal(element);
  return kind === 'TOO_MUCH' || kind === 'TOO_SLOW';
}

function limitAmong(
  elements: ReadonlyMap<unknown, BatchElement>,
  facts: RpcErrorFacts,
): RpcError | undefined {
  const limit = [...elements.values()].find(isAboutRate);
  return limit?.kind === 'refused' ? rejection(limit, facts) : undefined;
}

function rejection({ rpcCode, rpcMessage }: RpcRefusal, facts: RpcErrorFacts): RpcError {
  return new RpcError('NODE_REJECTED', rpcMessage, { ...facts, rpcCode, rpcMessage });
}

/** How long no requests are sent to the node, by this client or by the whole process. */
function restMsOf({ restsUntilMs, limiter }: Node): number {
  return Math.max(restsUntilMs - performance.now(), limiter.pauseMs);
}

/** Keeps the task's outcome; the error when the element is none and the call may be tried elsewhere. */
function settle<T>(
  task: Task<T>,
  element: BatchElement,
  { node, firstId: request }: Batch<T>,
): RpcError | undefined {
  const facts = factsOf(node, [task]);
  if (element.kind === 'garbage') return new RpcError('NODE_BAD_RESPONSE', element.reason, facts);
  if (element.kind === 'refused') {
    const error = rejection(element, facts);
    if (kindOfRefusal(element) !== 'ANSWER') return error;
    task.outcome = { ok: false, error };
    return undefined;
  }
  try {
    task.outcome = { ok: true, value: task.call.parse(element.result), request };
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

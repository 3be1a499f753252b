import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { TokenBucket } from '../src/avalanche/p2p/peer/token-bucket.js';
import { type NodeBehaviour, type NodeBehaviourInput, NodeBehaviourSchema } from './node-behaviour.js';
import {
  HttpFault,
  type MethodExceptions,
  NOT_FOUND,
  type RpcEndpoint,
  tooManyRequests,
} from './rpc/endpoint.js';
import type { PChainClock } from './world/p-chain-clock.js';

/** Names of methods that are counted by themselves; callers may make up any number of them. */
const MAX_COUNTED_METHODS = 1_000;
const OTHER = 'other';

const CallSchema = z.object({ method: z.string().max(100) });

/** Simulates the path between a caller and the node that answers: the distance, a rate limit, a load balancer. */
export class NodeFront {
  /** JSON-RPC calls that came in since the start, answered or not, by method. */
  readonly calls = new Map<string, number>();
  /** Requests that were being answered at the same time, at most. */
  mostAtOnce = 0;
  /** Requests that held several calls. */
  batches = 0;
  private atOnce = 0;
  private current = NodeBehaviourSchema.parse({});
  private allowance: TokenBucket | undefined;
  private requests = 0;

  constructor(private readonly clock: PChainClock) {}

  get behaviour(): NodeBehaviour {
    return this.current;
  }

  /** Throws ZodError. */
  setBehaviour(behaviour: NodeBehaviourInput): void {
    this.current = NodeBehaviourSchema.parse(behaviour);
    const { requestsPerSecond } = this.current;
    const rate = { burst: Math.max(1, requestsPerSecond), perSecond: requestsPerSecond };
    this.allowance = requestsPerSecond === 0 ? undefined : new TokenBucket(rate, performance.now());
    this.requests = 0;
  }

  /** Throws HttpFault. */
  async answer(endpoint: RpcEndpoint, body: string): Promise<string> {
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    try {
      return await this.answerCalls(endpoint, body);
    } finally {
      this.atOnce -= 1;
    }
  }

  private async answerCalls(endpoint: RpcEndpoint, body: string): Promise<string> {
    const methods = methodsIn(body);
    for (const method of methods) this.count(method);
    if (methods.length > 1) this.batches += 1;
    const { delayMs, slowMethods, failEvery, failure, without, backends } = this.current;
    const request = this.requests++;
    const delays = methods.map((method) => slowMethods[method] ?? 0);
    const totalDelayMs = delayMs + Math.max(...delays, 0);
    if (totalDelayMs > 0) await delay(totalDelayMs);
    if (this.allowance?.take(1, performance.now()) === false) throw tooManyRequests(this.secondsUntilNext());
    if (failEvery > 0 && request % failEvery === failEvery - 1) throw FAILURES[failure];
    if (methods.some((method) => without.includes(serviceOf(method)))) throw new HttpFault(NOT_FOUND);
    return this.clock.seenFrom(backends[request % backends.length], () =>
      endpoint.answer(body, (method) => this.exceptionTo(method)),
    );
  }

  private exceptionTo(method: string): ReturnType<MethodExceptions> {
    const { without, answers } = this.current;
    if (without.includes(method)) return 'missing';
    const answer = Object.hasOwn(answers, method) ? answers[method] : undefined;
    return answer === undefined || typeof answer === 'function' ? answer : () => answer;
  }

  private secondsUntilNext(): number {
    return Math.ceil(1 / this.current.requestsPerSecond);
  }

  private count(method: string): void {
    const isCounted = this.calls.has(method) || this.calls.size < MAX_COUNTED_METHODS;
    const name = isCounted ? method : OTHER;
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
  }
}

const FAILURES = {
  unavailable: new HttpFault({ status: 503, body: 'service unavailable\n', headers: {} }),
  tooManyRequests: tooManyRequests(1),
  timeout: new HttpFault('silence'),
} as const;

/** `index` of `index.getIndex`; nothing of EVM methods, which are of no service. */
function serviceOf(method: string): string {
  return method.slice(0, Math.max(0, method.indexOf('.')));
}

/** Of one call, or of a batch. */
function methodsIn(body: string): string[] {
  const calls = parseJson(body);
  return (Array.isArray(calls) ? calls : [calls]).map(
    (call) => CallSchema.safeParse(call).data?.method ?? OTHER,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

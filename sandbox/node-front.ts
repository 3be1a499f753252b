import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { TokenBucket } from '../src/avalanche/p2p/peer/token-bucket.js';
import { type NodeBehaviour, type NodeBehaviourInput, NodeBehaviourSchema } from './node-behaviour.js';
import { HttpFault, type RpcEndpoint, tooManyRequests } from './rpc/endpoint.js';
import type { PChainClock } from './world/p-chain-clock.js';

/** Names of methods that are counted by themselves; callers may make up any number of them. */
const MAX_COUNTED_METHODS = 1_000;
const OTHER = 'other';

const CallSchema = z.object({ method: z.string().max(100) });

/** What lies between a caller and the node that answers: the distance, a rate limit, a load balancer. */
export class NodeFront {
  /** JSON-RPC calls that came in since the start, answered or not, by method. */
  readonly calls = new Map<string, number>();
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
    this.count(body);
    const { delayMs, failEvery, backends } = this.current;
    const request = this.requests++;
    if (delayMs > 0) await delay(delayMs);
    if (this.allowance?.take(1, performance.now()) === false) throw tooManyRequests(this.secondsUntilNext());
    if (failEvery > 0 && request % failEvery === failEvery - 1) throw UNAVAILABLE;
    return this.clock.seenFrom(backends[request % backends.length], () => endpoint.answer(body));
  }

  private secondsUntilNext(): number {
    return Math.ceil(1 / this.current.requestsPerSecond);
  }

  private count(body: string): void {
    for (const method of methodsIn(body)) {
      const isCounted = this.calls.has(method) || this.calls.size < MAX_COUNTED_METHODS;
      const name = isCounted ? method : OTHER;
      this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
    }
  }
}

const UNAVAILABLE = new HttpFault({ status: 503, body: 'service unavailable\n', headers: {} });

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

import { FadingCount } from '../peer/fading-count.js';
import { TokenBucket, type Rate } from '../peer/token-bucket.js';

/** How fast it is forgotten what a node has sent. */
const HALF_LIFE_MS = 5_000;

/**
 * The reading that all nodes which share an allowance may cause. Each of them keeps within its own, which some dozens together can turn
 * into all of the thread's time; then the loudest has to go. Time is given by the caller, in milliseconds that only grow.
 */
export class SharedInbound {
  private readonly allowance: TokenBucket;
  /** Bytes, by node. */
  private readonly sent = new Map<string, FadingCount>();

  constructor(rate: Rate, nowMs: number) {
    this.allowance = new TokenBucket(rate, nowMs);
  }

  /** A node has sent something: the node that has to go for it, if any. */
  charge(nodeId: string, bytes: number, nowMs: number): string | undefined {
    const sent = this.sent.get(nodeId) ?? new FadingCount(HALF_LIFE_MS);
    this.sent.set(nodeId, sent);
    sent.add(bytes, nowMs);
    if (this.allowance.take(bytes, nowMs)) return undefined;
    const loudest = this.loudest(nowMs);
    // Its bytes are no reason for a second one to go.
    this.allowance.give(this.sent.get(loudest)?.at(nowMs) ?? 0);
    this.allowance.take(bytes, nowMs);
    this.sent.delete(loudest);
    return loudest;
  }

  forget(nodeId: string): void {
    this.sent.delete(nodeId);
  }

  private loudest(nowMs: number): string {
    let [loudest, most] = ['', -1];
    for (const [nodeId, sent] of this.sent) {
      const bytes = sent.at(nowMs);
      if (bytes > most) [loudest, most] = [nodeId, bytes];
    }
    return loudest;
  }
}

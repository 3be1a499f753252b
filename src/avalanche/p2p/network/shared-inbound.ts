import { TokenBucket, type Rate } from '../peer/token-bucket.js';

/** How fast it is forgotten what a node has sent. */
const HALF_LIFE_MS = 5_000;

interface Sent {
  bytes: number;
  atMs: number;
}

/**
 * What all nodes that share an allowance may make us read. Each of them keeps within its own, which some dozens together can turn
 * into all of the thread's time; then the loudest has to go. Time is given by the caller, in milliseconds that only grow.
 */
export class SharedInbound {
  private readonly allowance: TokenBucket;
  private readonly sent = new Map<string, Sent>();

  constructor(rate: Rate, nowMs: number) {
    this.allowance = new TokenBucket(rate, nowMs);
  }

  /** A node has sent something: the node that has to go for it, if any. */
  charge(nodeId: string, bytes: number, nowMs: number): string | undefined {
    this.sent.set(nodeId, { bytes: this.recentBytes(nodeId, nowMs) + bytes, atMs: nowMs });
    if (this.allowance.take(bytes, nowMs)) return undefined;
    const loudest = this.loudest(nowMs);
    // What it sent is no reason for a second one to go.
    this.allowance.give(this.recentBytes(loudest, nowMs));
    this.allowance.take(bytes, nowMs);
    this.sent.delete(loudest);
    return loudest;
  }

  forget(nodeId: string): void {
    this.sent.delete(nodeId);
  }

  private loudest(nowMs: number): string {
    let [loudest, most] = ['', -1];
    for (const nodeId of this.sent.keys()) {
      const bytes = this.recentBytes(nodeId, nowMs);
      if (bytes > most) [loudest, most] = [nodeId, bytes];
    }
    return loudest;
  }

  private recentBytes(nodeId: string, nowMs: number): number {
    const sent = this.sent.get(nodeId);
    return sent === undefined ? 0 : sent.bytes * 0.5 ** (Math.max(0, nowMs - sent.atMs) / HALF_LIFE_MS);
  }
}

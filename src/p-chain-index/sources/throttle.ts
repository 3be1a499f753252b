import { setTimeout as delay } from 'node:timers/promises';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';

/** How often one request is asked of one node before the node counts as failing. */
const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MS = 200;
/** A server that wants to be left alone for longer is given up for now instead of waited for. */
const MAX_RETRY_AFTER_MS = 15_000;
/** The requests that were in flight when a server became too busy all fail: together they are one sign, not many. */
const CUT_INTERVAL_MS = 1_000;

/**
 * How many requests one node bears at a time: halved when it says so or falls silent, and grown slowly from there
 * (additive increase, multiplicative decrease).
 */
export class Throttle {
  private window: number;
  private pausedUntil = 0;
  private lastCutAt = -Infinity;

  constructor(private readonly maxConcurrency: number) {
    this.window = maxConcurrency;
  }

  /** Requests that may run now. */
  get concurrency(): number {
    return Math.max(1, Math.floor(this.window));
  }

  /** Asks, again after failures that time may mend. Throws the last failure, or the signal's reason. */
  async ask<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const pauseMs = this.pausedUntil - Date.now();
      if (pauseMs > 0) await delay(pauseMs, undefined, { signal });
      try {
        const answer = await request();
        this.window = Math.min(this.maxConcurrency, this.window + 1 / this.window);
        return answer;
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof RpcError) || !isTransient(error)) throw error;
        const retryAfterMs = error.facts.retryAfterMs ?? 0;
        this.slowDown(retryAfterMs);
        if (attempt >= MAX_ATTEMPTS || retryAfterMs > MAX_RETRY_AFTER_MS) throw error;
        await delay(FIRST_DELAY_MS * 2 ** (attempt - 1), undefined, { signal });
      }
    }
  }

  private slowDown(retryAfterMs: number): void {
    const now = Date.now();
    const pauseMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
    if (now - this.lastCutAt < CUT_INTERVAL_MS) return;
    this.lastCutAt = now;
    this.window = Math.max(1, this.window / 2);
  }
}

/** Whether the same node may well answer the same question a little later. */
export function isTransient(error: RpcError): boolean {
  return error.code === 'NODE_UNREACHABLE' || error.code === 'NODE_TIMED_OUT';
}

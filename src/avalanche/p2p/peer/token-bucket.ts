/** How much may happen at once, and how fast the allowance comes back. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** Counts what a peer makes us do. Time is given by the caller, in milliseconds that only grow. */
export class TokenBucket {
  private tokens: number;

  constructor(
    private readonly rate: Rate,
    private updatedAtMs: number,
  ) {
    this.tokens = rate.burst;
  }

  /** Takes `count` tokens; false, taking none, when they are not there. */
  take(count: number, nowMs: number): boolean {
    const elapsedMs = Math.max(0, nowMs - this.updatedAtMs);
    this.tokens = Math.min(this.rate.burst, this.tokens + (elapsedMs / 1000) * this.rate.perSecond);
    this.updatedAtMs = nowMs;
    if (this.tokens < count) {
      return false;
    }
    this.tokens -= count;
    return true;
  }

  /** Takes back what was taken, as far as there is room. */
  give(count: number): void {
    this.tokens = Math.min(this.rate.burst, this.tokens + count);
  }
}

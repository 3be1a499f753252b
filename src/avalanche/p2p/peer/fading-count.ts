/** A sum that halves within each half-life. Time is given by the caller, in milliseconds that only grow. */
export class FadingCount {
  private sum = 0;
  private countedAtMs = 0;

  constructor(private readonly halfLifeMs: number) {}

  at(nowMs: number): number {
    return this.sum * 2 ** ((this.countedAtMs - nowMs) / this.halfLifeMs);
  }

  /** Never falls below zero. */
  add(count: number, nowMs: number): void {
    this.sum = Math.max(0, this.at(nowMs) + count);
    this.countedAtMs = nowMs;
  }
}

/** How many of something there are, by key. A key without any takes no memory. */
export class KeyedCounts {
  private readonly counts = new Map<string, number>();

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** The number with it; `count` may be negative. */
  add(key: string, count: number): number {
    const sum = this.of(key) + count;
    if (sum === 0) this.counts.delete(key);
    else this.counts.set(key, sum);
    return sum;
  }
}

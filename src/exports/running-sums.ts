/** What changes add up to, height by height; they come ascending by height. */
export class RunningSums {
  private readonly sums: { readonly height: bigint; readonly sum: bigint }[] = [];

  get total(): bigint {
    return this.sums.at(-1)?.sum ?? 0n;
  }

  add(height: bigint, change: bigint): void {
    const sum = this.total + change;
    if (this.sums.at(-1)?.height === height) this.sums.pop();
    this.sums.push({ height, sum });
  }

  /** Of all changes up to a height, which is included. */
  upTo(height: bigint): bigint {
    const { sums } = this;
    let [low, high] = [0, sums.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle]?.height ?? height) <= height) low = middle + 1;
      else high = middle;
    }
    return sums[low - 1]?.sum ?? 0n;
  }
}

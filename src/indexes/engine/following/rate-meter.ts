/** Long enough to be steady over batches of thousands of blocks, short enough to follow a change. */
const WINDOW_MS = 20_000;

/** Blocks per second over the last while. */
export class RateMeter {
  private readonly samples: { atMs: number; height: bigint }[] = [];

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(height: bigint): void {
    const atMs = this.now();
    this.samples.push({ atMs, height });
    while (this.samples.length > 2 && atMs - (this.samples[1]?.atMs ?? atMs) > WINDOW_MS) {
      this.samples.shift();
    }
  }

  get blocksPerSecond(): number {
    const [first] = this.samples;
    const last = this.samples.at(-1);
    if (first === undefined || last === undefined || last.atMs === first.atMs) return 0;
    const seconds = (last.atMs - first.atMs) / 1000;
    return Math.round((Number(last.height - first.height) / seconds) * 10) / 10;
  }
}

/** Sorted in memory by the database, and far less than a turn. */
const TARGET_ROWS = 100_000;
const FIRST_HEIGHTS = 256;
const MAX_HEIGHTS = 2_000_000;
const MAX_CHANGE = 16;

/** How many heights one COPY should read: as many as have a fit number of rows and take a fit time. */
export class WindowSize {
  private heights = FIRST_HEIGHTS;

  constructor(private readonly targetMs: number) {}

  get current(): bigint {
    return BigInt(this.heights);
  }

  /** Size of the last window, and its number of rows. */
  learn({ heights, rows, elapsedMs }: { heights: bigint; rows: number; elapsedMs: number }): void {
    const load = Math.max(rows / TARGET_ROWS, elapsedMs / this.targetMs);
    const change = Math.min(Math.max(1 / load, 1 / MAX_CHANGE), MAX_CHANGE);
    this.heights = Math.min(Math.max(Math.floor(Number(heights) * change), 1), MAX_HEIGHTS);
  }
}

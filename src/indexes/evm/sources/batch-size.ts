/** Blocks before anything is known of the chain. */
const FIRST_BLOCKS = 64;
/**
 * Memory holds a few batches of it, and the tip waits for a transaction of it: twice as many rows are no faster, and make it wait
 * three times as long.
 */
const TARGET_ROWS = 20_000;
/** Of what their logs hold, which is most of what a block of few rows may weigh. */
const TARGET_BYTES = 16 * 2 ** 20;
/** Also a slow node's blocks are on record after about this time. */
const TARGET_MS = 2_000;

/** How many blocks to read at once: as many as come to a good number of rows, in a good time. */
export class BatchSize {
  private blocks = FIRST_BLOCKS;

  constructor(private readonly max: number) {}

  get current(): bigint {
    return BigInt(Math.max(1, Math.min(this.max, Math.floor(this.blocks))));
  }

  /** Duration and size of the last batch. A short one, e.g. at the tip, means little. */
  note({
    blocks,
    rows,
    tookMs,
    bytes = 0,
  }: {
    blocks: number;
    rows: number;
    tookMs: number;
    bytes?: number;
  }): void {
    const growth = Math.min(
      2,
      TARGET_ROWS / Math.max(1, rows),
      TARGET_BYTES / Math.max(1, bytes),
      TARGET_MS / Math.max(1, tookMs),
    );
    const wanted = blocks * growth;
    if (growth < 1 || BigInt(blocks) >= this.current) this.blocks = Math.min(this.max, wanted);
  }
}

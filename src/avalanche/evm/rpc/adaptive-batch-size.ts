/** Below what public endpoints allow (40), so that a first batch rarely fails. */
const INITIAL_BATCH_SIZE = 20;

/** How many calls one node takes in one request: found out by growing slowly and halving when it was too much. */
export class AdaptiveBatchSize {
  private size: number;

  constructor(private readonly max: number) {
    this.size = Math.min(INITIAL_BATCH_SIZE, max);
  }

  get current(): number {
    return this.size;
  }

  /** One more after every batch that was full and answered; smaller ones prove nothing. */
  grow(batchSize: number): void {
    if (batchSize >= this.size) this.size = Math.min(this.max, this.size + 1);
  }

  /** Half of what was too much; several batches of one size in flight count once. */
  shrink(batchSize: number): void {
    this.size = Math.min(this.size, Math.max(1, Math.floor(batchSize / 2)));
  }
}

/** Blocks between the tip and what the node would propose with; on a real network the blocks of the last 30 s. */
export const PROPOSED_HEIGHT_LAG = 3n;

export interface PChainClockOptions {
  /** Height at the start. */
  baseHeight: bigint;
  /** Time per block; 0 means that only `advance` makes blocks. */
  blockIntervalMs: number;
  now?: () => number;
}

/** Heights of the P-chain: they grow slowly with time, and on demand. What blocks there are at them, `p-chain/` knows. */
export class PChainClock {
  private readonly now: () => number;
  private readonly startedAtMs: number;
  private demanded = 0n;

  constructor(private readonly options: PChainClockOptions) {
    this.now = options.now ?? Date.now;
    this.startedAtMs = this.now();
  }

  /** Height of the last accepted block. */
  get height(): bigint {
    return this.options.baseHeight + this.demanded + this.blocksByTime();
  }

  get proposedHeight(): bigint {
    const proposed = this.height - PROPOSED_HEIGHT_LAG;
    return proposed > 0n ? proposed : 0n;
  }

  /** UNIX seconds. On a real chain this is the time of the last block; here blocks on demand take no time. */
  get timestampSeconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Accepts that many blocks now. */
  advance(blocks: number | bigint): void {
    const count = BigInt(blocks);
    if (count < 0n) throw new RangeError('a chain does not shrink');
    this.demanded += count;
  }

  private blocksByTime(): bigint {
    const { blockIntervalMs } = this.options;
    if (blockIntervalMs === 0) return 0n;
    return BigInt(Math.max(0, Math.floor((this.now() - this.startedAtMs) / blockIntervalMs)));
  }
}

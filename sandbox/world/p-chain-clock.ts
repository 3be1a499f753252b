/** Blocks between the tip and what the node would propose with; on a real network the blocks of the last 30 s. */
export const PROPOSED_HEIGHT_LAG = 3n;

export interface PChainClockOptions {
  /** Height at the start. */
  baseHeight: bigint;
  /** Time per block; 0 means that only `advance` makes blocks. */
  blockIntervalMs: number;
  now?: () => number;
}

/** A node that may be behind the others. */
export interface Viewpoint {
  readonly lagBlocks: number;
  readonly proposesTip: boolean;
}

const UP_TO_DATE: Viewpoint = { lagBlocks: 0, proposesTip: false };

/** Heights of the P-chain: they grow slowly with time, and on demand. What blocks there are at them, `p-chain/` knows. */
export class PChainClock {
  private readonly now: () => number;
  private readonly startedAtMs: number;
  private demanded = 0n;
  private viewpoint = UP_TO_DATE;

  constructor(private readonly options: PChainClockOptions) {
    this.now = options.now ?? Date.now;
    this.startedAtMs = this.now();
  }

  /** Height of the last accepted block. */
  get height(): bigint {
    const height = this.options.baseHeight + this.demanded + this.blocksByTime();
    const lag = BigInt(this.viewpoint.lagBlocks);
    return height > lag ? height - lag : 0n;
  }

  get proposedHeight(): bigint {
    if (this.viewpoint.proposesTip) return this.height;
    const proposed = this.height - PROPOSED_HEIGHT_LAG;
    return proposed > 0n ? proposed : 0n;
  }

  /** UNIX seconds. On a real chain this is the time of the last block; here blocks on demand take no time. */
  get timestampSeconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Runs something as though the chain was as far as this node believes. */
  seenFrom<T>(viewpoint: Viewpoint = UP_TO_DATE, run: () => T): T {
    this.viewpoint = viewpoint;
    try {
      return run();
    } finally {
      this.viewpoint = UP_TO_DATE;
    }
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

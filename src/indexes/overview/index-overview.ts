/** Where an index stands. Times are UNIX seconds. */
export interface KnownIndex {
  readonly height: bigint;
  /** Of the block at that height. */
  readonly blockTime: number;
  /** The chain's height when the index last looked. */
  readonly tip: bigint;
  /** When the index last said something. */
  readonly heardAt: number;
}

/**
 * So few blocks are never far: where they are rare, the last one that is indexed may be old although the next has just been accepted.
 */
export const FEW_BLOCKS = 100n;

/**
 * Seconds that the index is behind its chain. At the tip only silence counts, since it is unknown then what has happened; the time of
 * the last block says nothing there, as a quiet chain has none.
 */
export function lagSeconds({ height, blockTime, tip, heardAt }: KnownIndex, now: number): number {
  const silence = Math.max(0, now - heardAt);
  return tip - height <= FEW_BLOCKS ? silence : Math.max(silence, now - blockTime);
}

import type { EvmHeader } from './block.js';
import { malformed } from '../evm.error.js';

type DatedHeight = Pick<EvmHeader, 'height' | 'timestampSeconds'>;

export interface BlockByDateQuery {
  readonly timestampSeconds: number;
  /** Heights to search, both included, e.g. 0 and the tip. */
  readonly lowestHeight: bigint;
  readonly highestHeight: bigint;
  /** Reads one block's header; a block of the range that is missing must be an error. */
  readonly getHeader: (height: bigint) => Promise<DatedHeight>;
}

/**
 * Height of the first block at or after a time, by bisection: about 27 headers for 100 million blocks. The lowest height
 * when even that is later; undefined when the highest is earlier. Of blocks with equal times it is the first.
 *
 * Throws EvmError `MALFORMED` when the node's times do not rise with the heights; whatever `getHeader` rejects with.
 */
export async function findFirstBlockAtOrAfter({
  timestampSeconds,
  lowestHeight,
  highestHeight,
  getHeader,
}: BlockByDateQuery): Promise<bigint | undefined> {
  if (lowestHeight > highestHeight) throw new RangeError('no blocks to search');
  const lowest = await getHeader(lowestHeight);
  if (lowest.timestampSeconds >= timestampSeconds) return lowestHeight;
  const highest = lowestHeight === highestHeight ? lowest : await getHeader(highestHeight);
  if (highest.timestampSeconds < timestampSeconds) return undefined;

  // `before` is always earlier than the time, `found` never is.
  let before = lowest;
  let found = highest;
  while (before.height + 1n < found.height) {
    const height = (before.height + found.height) / 2n;
    const { timestampSeconds: time } = await getHeader(height);
    if (time < before.timestampSeconds || time > found.timestampSeconds) {
      throw malformed(`the time of block ${height} is not between those of blocks around it`);
    }
    if (time < timestampSeconds) before = { height, timestampSeconds: time };
    else found = { height, timestampSeconds: time };
  }
  return found.height;
}

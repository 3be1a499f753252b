import type { BlockWithMovements } from '../avalanche/evm/movement-reader.js';
import { mayHaveInternalMovements } from '../avalanche/evm/movement-reader.js';
import type { Hash } from '../avalanche/evm/hex-values.js';
import { addRange, type HeightRange, type NewRange } from './ranges.js';

/** A block by its place. */
export interface BlockRef {
  readonly height: bigint;
  readonly hash: Hash;
}

/** Where the index of a chain stands: its newest block, and which heights are there. */
export interface Checkpoint extends BlockRef {
  readonly blockTime: number;
  readonly ranges: readonly HeightRange[];
  /** Null from a node that does not have its genesis any more. */
  readonly genesisHash: Hash | null;
  /** Where the index began: what the start `tip` means ever after. */
  readonly firstHeight: bigint;
}

/** What is known of a chain before its first block is written. */
export type Origin = Pick<Checkpoint, 'genesisHash' | 'firstHeight'>;

/** The checkpoint once these blocks, in ascending order without a gap, are written, too. */
export function advance(origin: Checkpoint | Origin, blocks: readonly BlockWithMovements[]): Checkpoint {
  const last = blocks.at(-1)?.block;
  if (last === undefined) throw new RangeError('no blocks to advance by');
  const ranges = rangesOf(blocks).reduce(addRange, 'ranges' in origin ? origin.ranges : []);
  if ('height' in origin && origin.height > last.height) return { ...origin, ranges };
  const { genesisHash, firstHeight } = origin;
  const { height, hash, timestampSeconds } = last;
  return { height, hash, blockTime: timestampSeconds, ranges, genesisHash, firstHeight };
}

/** A block that could not be traced is a range of its own: it costs nobody else's internal transfers. */
function rangesOf(blocks: readonly BlockWithMovements[]): NewRange[] {
  const ranges: NewRange[] = [];
  for (const block of blocks) {
    const { height } = block.block;
    const isTraced = tracedStateOf(block);
    const last = ranges.at(-1);
    if (last === undefined || !isAlike(last.isTraced, isTraced)) {
      ranges.push({ from: height, to: height, isTraced });
    } else {
      ranges.splice(-1, 1, { from: last.from, to: height, isTraced: last.isTraced ?? isTraced });
    }
  }
  return ranges;
}

function tracedStateOf({ block, isTraced }: BlockWithMovements): NewRange['isTraced'] {
  if (!isTraced) return false;
  return mayHaveInternalMovements(block) ? true : null;
}

function isAlike(left: NewRange['isTraced'], right: NewRange['isTraced']): boolean {
  return left === right || left === null || right === null;
}

/** The column `state`; heights as decimal text, because JSON's numbers end before theirs. */
export function packState({ ranges, genesisHash, firstHeight }: Checkpoint): string {
  return JSON.stringify({
    ranges: packRanges(ranges),
    genesisHash,
    firstHeight: firstHeight.toString(),
  });
}

export function packRanges(ranges: readonly HeightRange[]): PackedRange[] {
  return ranges.map(({ from, to, isTraced }) => ({ from: from.toString(), to: to.toString(), isTraced }));
}

export interface PackedRange {
  readonly from: string;
  readonly to: string;
  readonly isTraced: boolean;
}

export interface PackedState {
  readonly ranges: readonly PackedRange[];
  readonly genesisHash: Hash | null;
  readonly firstHeight: string;
}

export function unpackState(state: PackedState): Pick<Checkpoint, 'ranges' | 'genesisHash' | 'firstHeight'> {
  return {
    ranges: state.ranges.map(({ from, to, isTraced }) => ({ from: BigInt(from), to: BigInt(to), isTraced })),
    genesisHash: state.genesisHash,
    firstHeight: BigInt(state.firstHeight),
  };
}

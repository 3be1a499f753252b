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
  const ranges = addRange('ranges' in origin ? origin.ranges : [], rangeOf(blocks));
  if ('height' in origin && origin.height > last.height) return { ...origin, ranges };
  const { genesisHash, firstHeight } = origin;
  const { height, hash, timestampSeconds } = last;
  return { height, hash, blockTime: timestampSeconds, ranges, genesisHash, firstHeight };
}

function rangeOf(blocks: readonly BlockWithMovements[]): NewRange {
  const [first, last] = [blocks[0]?.block, blocks.at(-1)?.block];
  if (first === undefined || last === undefined) throw new RangeError('no blocks');
  const { height: from } = first;
  const { height: to } = last;
  if (blocks.some(({ isTraced }) => !isTraced)) return { from, to, isTraced: false };
  return { from, to, isTraced: blocks.some(({ block }) => mayHaveInternalMovements(block)) ? true : null };
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

import type { Block } from '../../../avalanche/platformvm/block.js';
import { parseBlock } from '../../../avalanche/platformvm/codec/block.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import { PlatformVmError } from '../../../avalanche/platformvm/platformvm.error.js';
import type { UpgradeTimes } from '../../../avalanche/platformvm/state/upgrade-times.js';
import { type ChainNode, NodePool } from '../../engine/following/node-pool.js';

/** A block by its place. */
export interface BlockRef {
  readonly height: bigint;
  readonly blockId: Id;
}

/** Where the index stands, the genesis that it grew from, and by which rules. */
export interface ChainPosition extends BlockRef {
  readonly genesisId: Id;
  readonly upgrades: UpgradeTimes;
}

/** Where P-chain blocks come from. Only what the blocks themselves prove is accepted. All methods reject with what `isNodeError` knows. */
export interface PChainSource extends ChainNode<ChainPosition> {
  getNetworkId(signal: AbortSignal): Promise<number>;
  getBlock(height: bigint, signal: AbortSignal): Promise<Block>;
  /** By which rules it goes; `recorded` are those that the index has gone by, if it has begun. */
  upgrades(signal: AbortSignal, recorded?: UpgradeTimes): Promise<UpgradeTimes>;
  /** Throws OTHER_UPGRADES for one whose rules changed at other times until then (UNIX seconds). */
  expectUpgrades(expected: UpgradeTimes, until: number, signal: AbortSignal): Promise<void>;
  /** The blocks above `after` up to a height that the source has accepted, each the child of the one before. */
  readBlocks(after: BlockRef, to: bigint, signal: AbortSignal): AsyncGenerator<Block, void>;
}

/** All sources of one network. */
export class PChainSources extends NodePool<ChainPosition, PChainSource> {}

/** Throws PlatformVmError for a block that is not the child of the one before. */
export async function* linked(after: BlockRef, blocks: AsyncIterable<Block>): AsyncGenerator<Block, void> {
  let { blockId } = after;
  for await (const block of blocks) {
    if (block.parentId !== blockId) {
      throw new PlatformVmError(
        'WRONG_PARENT',
        `block ${block.height} (${block.id}) follows ${block.parentId}, not ${blockId}`,
      );
    }
    blockId = block.id;
    yield block;
  }
}

/**
 * How a source's chain differs from ours, by the highest block that both have: the words after `has` or `have`.
 * Throws what `getBlock` throws.
 */
export async function foreignBlock(
  source: Pick<PChainSource, 'getBlock'>,
  { height, blockId, genesisId }: ChainPosition,
  tip: bigint,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (height >= 0n && tip >= height) {
    const { id } = await source.getBlock(height, signal);
    if (id === blockId) return undefined;
    return `block ${id} at height ${height}, the index has ${blockId}: another network, or started anew`;
  }
  const { parentId } = await source.getBlock(0n, signal);
  if (parentId === genesisId) return undefined;
  return `genesis ${parentId}, the index has ${genesisId}: another network`;
}

/** Blocks from a height on. Throws PlatformVmError. */
export async function* parsedFrom(
  from: bigint,
  blocks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Block, void> {
  let height = from;
  for await (const bytes of blocks) {
    yield parseAt(bytes, height);
    height += 1n;
  }
}

/** Throws PlatformVmError. */
export function parseAt(bytes: Uint8Array, height: bigint): Block {
  const block = parseBlock(bytes);
  if (block.height === height) return block;
  throw new PlatformVmError('WRONG_PARENT', `block ${block.height} came when ${height} was asked for`);
}

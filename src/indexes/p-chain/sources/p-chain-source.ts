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

/**
 * Where P-chain blocks come from. It is believed nothing that the blocks themselves do not prove.
 * All methods reject with what `isNodeError` knows.
 */
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

/** Throws PlatformVmError. */
export function parseAt(bytes: Uint8Array, height: bigint): Block {
  const block = parseBlock(bytes);
  if (block.height === height) return block;
  throw new PlatformVmError('WRONG_PARENT', `block ${block.height} came when ${height} was asked for`);
}

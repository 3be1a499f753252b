import type { Id } from '../../src/avalanche/platformvm/ids.js';
import { blockId, packBlock } from '../../src/avalanche/platformvm/codec/block.js';
import {
  containerId,
  unwrapBlock,
  wrapBlock,
  type Epoch,
} from '../../src/avalanche/platformvm/codec/proposervm.js';
import type { ChainBlocks, ServedBlock } from '../accepted-chain.js';
import { BlockIds } from '../block-ids.js';
import type { RecordedPChain } from './recorded-p-chain.js';

/**
 * All blocks of a chain that was recorded and then goes on: empty ones follow, each the same whenever it is asked for.
 * The chain's time stands still in them, so that nothing ends and no fee falls due that the recording knows nothing of.
 */
export class PChainBlocks implements ChainBlocks {
  /** Of the blocks that follow, only ids are kept: there may be very many, and their bytes are created on request. */
  private readonly blockIds = new BlockIds();
  private readonly containerIds = new BlockIds();
  private readonly epoch: Epoch | null;

  constructor(
    private readonly recorded: RecordedPChain,
    /** Height of the last accepted block. */
    private readonly tip: () => bigint,
  ) {
    for (const { bytes, container } of recorded.blocks) this.add({ bytes, container });
    this.epoch = lastEpoch(recorded);
  }

  at(height: bigint): ServedBlock | undefined {
    if (height > this.tip()) return undefined;
    const recorded = this.recorded.blocks[Number(height)];
    if (recorded !== undefined) return { height, bytes: recorded.bytes, container: recorded.container };
    while (this.blockIds.length < height) this.add(this.makeBlock(this.blockIds.length));
    const block = this.makeBlock(Number(height));
    if (this.blockIds.length === Number(height)) this.add(block);
    return block;
  }

  byId(id: Id): ServedBlock | undefined {
    return this.lookUp(this.blockIds, id);
  }

  byContainerId(id: Id): ServedBlock | undefined {
    const block = this.lookUp(this.containerIds, id);
    return block?.container == null ? undefined : block;
  }

  containerIdAt(height: bigint): Id | undefined {
    return this.at(height) && this.containerIds.at(Number(height));
  }

  private lookUp(ids: BlockIds, id: Id): ServedBlock | undefined {
    this.at(this.tip());
    const height = ids.heightOf(id);
    return height === undefined ? undefined : this.at(BigInt(height));
  }

  /** The next block, or one whose parent is known. */
  private makeBlock(height: number): ServedBlock {
    const parentId = this.blockIds.at(height - 1);
    const parentContainerId = this.containerIds.at(height - 1);
    if (parentId === undefined || parentContainerId === undefined) {
      throw new RangeError(`the parent of block ${height} is not known`);
    }
    const time = BigInt(this.recorded.time);
    const bytes = packBlock({
      type: 'BanffStandard',
      time,
      parentId,
      height: BigInt(height),
      transactions: [],
    });
    const container = wrapBlock({
      type: 'block',
      parentId: parentContainerId,
      timestamp: time,
      pChainHeight: BigInt(this.recorded.blocks.length - 1),
      certificate: new Uint8Array(),
      inner: bytes,
      epoch: this.epoch,
      signature: new Uint8Array(),
    });
    return { height: BigInt(height), bytes, container };
  }

  private add({ bytes, container }: Omit<ServedBlock, 'height'>): void {
    this.blockIds.add(blockId(bytes));
    this.containerIds.add(containerId(container ?? bytes));
  }
}

/** That of the last envelope which has one: blocks that decide about a proposal do not. */
function lastEpoch({ blocks }: RecordedPChain): Epoch | null {
  for (const { container } of blocks.toReversed()) {
    const envelope = container && unwrapBlock(container).envelope;
    if (envelope?.type === 'block') return envelope.epoch;
  }
  return null;
}

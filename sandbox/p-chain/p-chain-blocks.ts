import type { Id } from '../../src/avalanche/platformvm/ids.js';
import { blockId, packBlock } from '../../src/avalanche/platformvm/codec/block.js';
import {
  containerId,
  unwrapBlock,
  wrapBlock,
  type Epoch,
} from '../../src/avalanche/platformvm/codec/proposervm.js';
import type { RecordedPChain } from './recorded-p-chain.js';

export interface ServedBlock {
  readonly height: bigint;
  readonly bytes: Uint8Array;
  /** Null for block 0, which no container holds. */
  readonly container: Uint8Array | null;
}

interface Link {
  readonly blockId: Id;
  readonly containerId: Id;
}

/**
 * All blocks of a chain that was recorded and then goes on: empty ones follow, each the same whenever it is asked for.
 * The chain's time stands still in them, so that nothing ends and no fee falls due that the recording knows nothing of.
 */
export class PChainBlocks {
  /** By height. Bytes of the blocks that follow are created on request: there may be very many. */
  private readonly links: Link[] = [];
  private readonly heights = new Map<Id, number>();
  private readonly indices = new Map<Id, number>();
  private readonly epoch: Epoch | null;

  constructor(
    private readonly recorded: RecordedPChain,
    /** Height of the last accepted block. */
    private readonly tip: () => bigint,
  ) {
    for (const { block, bytes, container } of recorded.blocks) {
      this.add({
        blockId: block.id,
        containerId: container === null ? blockId(bytes) : containerId(container),
      });
    }
    this.epoch = lastEpoch(recorded);
  }

  at(height: bigint): ServedBlock | undefined {
    if (height > this.tip()) return undefined;
    const recorded = this.recorded.blocks[Number(height)];
    if (recorded !== undefined) return { height, bytes: recorded.bytes, container: recorded.container };
    while (this.links.length < height) this.add(this.linkOf(this.makeBlock(this.links.length)));
    const block = this.makeBlock(Number(height));
    if (this.links.length === Number(height)) this.add(this.linkOf(block));
    return block;
  }

  /** By the id of the block without its envelope. */
  byId(id: Id): ServedBlock | undefined {
    return this.lookUp(this.heights, id);
  }

  /** By the id of the block with its envelope. */
  byContainerId(id: Id): ServedBlock | undefined {
    return this.lookUp(this.indices, id);
  }

  private lookUp(heights: ReadonlyMap<Id, number>, id: Id): ServedBlock | undefined {
    this.at(this.tip());
    const height = heights.get(id);
    return height === undefined ? undefined : this.at(BigInt(height));
  }

  /** The next block, or one whose parent is known. */
  private makeBlock(height: number): ServedBlock {
    const parent = this.links[height - 1];
    if (parent === undefined) throw new RangeError(`the parent of block ${height} is not known`);
    const time = BigInt(this.recorded.time);
    const bytes = packBlock({
      type: 'BanffStandard',
      time,
      parentId: parent.blockId,
      height: BigInt(height),
      transactions: [],
    });
    const container = wrapBlock({
      type: 'block',
      parentId: parent.containerId,
      timestamp: time,
      pChainHeight: BigInt(this.recorded.blocks.length - 1),
      certificate: new Uint8Array(),
      inner: bytes,
      epoch: this.epoch,
      signature: new Uint8Array(),
    });
    return { height: BigInt(height), bytes, container };
  }

  private linkOf({ bytes, container }: ServedBlock): Link {
    return { blockId: blockId(bytes), containerId: containerId(container ?? bytes) };
  }

  private add(link: Link): void {
    this.heights.set(link.blockId, this.links.length);
    if (this.links.length > 0) this.indices.set(link.containerId, this.links.length);
    this.links.push(link);
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

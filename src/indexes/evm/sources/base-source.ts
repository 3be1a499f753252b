import { EvmError } from '../../../avalanche/evm/evm.error.js';
import type { Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { type HeightRange, subtract } from '../../engine/coverage/height-range.js';
import { batchesOf } from '../rows/base-rows.js';
import type { BlockReader, ReadLimits } from './block-reader.js';
import { type Checkpoint, wantedBlocks } from '../facets/checkpoint.js';
import type { EvmNode, EvmNodes } from './evm-node.js';
import type { FacetSource } from '../facets/facet-backfill.js';
import { BASE } from '../facets/facets.js';
import type { EvmStore } from '../facets/followed-evm-chain.js';
import type { TokenReader } from './token-reader.js';

/** Of a day's blocks it does not matter when within some minutes they go. */
const RETAIN_EVERY_MS = 60_000;

const GENESIS: HeightRange = { from: 0n, to: 0n };

/** Older blocks with their receipts. */
export class BaseSource implements FacetSource {
  readonly facet = BASE;
  waitsFor: string | undefined;
  private retainAfter = 0;

  constructor(
    private readonly chain: EvmChain,
    private readonly store: EvmStore,
    readonly nodes: EvmNodes,
    private readonly reader: BlockReader,
    private readonly tokens: TokenReader,
  ) {}

  /** The genesis comes once it is known what it allocates. */
  async wanted(checkpoint: Checkpoint): Promise<HeightRange[]> {
    const blocks = wantedBlocks(this.chain, checkpoint);
    const isWhole = blocks[0]?.from !== 0n || (await this.reader.knowsGenesis());
    this.waitsFor = isWhole
      ? undefined
      : "block 0 waits for the chain's creation in the index of the P-chain";
    return isWhole ? blocks : blocks.flatMap((range) => subtract(range, [GENESIS]));
  }

  async *read(node: EvmNode, range: HeightRange, checkpoint: Checkpoint, limits: ReadLimits) {
    await this.store.writer.makeIndexes(this.chain, range.to, limits.signal);
    // It may be that what was to be read is no longer wanted.
    if (await this.store.writer.retain(this.chain, this.chain.keepDays)) {
      yield { facets: [], isAsked: false };
      return;
    }
    const parent =
      range.from === 0n ? undefined : await this.store.repository.findBlock(this.chain, range.from - 1n);
    const lastHash = await this.hashOfLast(node, range.to, checkpoint, limits.signal);
    const links = { lastHash, parent };
    for await (const { blocks, tokens } of this.reader.downwards(node.client, range, links, limits)) {
      yield { facets: batchesOf(this.chain, blocks), tokens };
    }
  }

  async has(node: EvmNode, height: bigint, signal: AbortSignal): Promise<boolean> {
    try {
      const blocks = await node.client.getBlocks({ fromHeight: height, toHeight: height, signal });
      return blocks.length === 1;
    } catch (error) {
      if (error instanceof EvmError && error.code === 'BLOCK_UNAVAILABLE') return false;
      throw error;
    }
  }

  forget(): void {
    this.tokens.forget();
  }

  /** Indexes of what was filled in, what is too old to be kept, and tokens that could not be asked, or were asked long ago. */
  async idle(signal: AbortSignal): Promise<boolean> {
    await this.store.writer.makeIndexes(this.chain, undefined, signal);
    await this.retainNowAndThen();
    return this.tokens.refresh(this.nodes, this.store.writer, signal);
  }

  private async retainNowAndThen(): Promise<void> {
    if (Date.now() < this.retainAfter) return;
    await this.store.writer.retain(this.chain, this.chain.keepDays);
    this.retainAfter = Date.now() + RETAIN_EVERY_MS;
  }

  /** What the block above names as its parent; undefined where that one is not on record. */
  private async hashOfLast(
    node: EvmNode,
    height: bigint,
    checkpoint: Checkpoint,
    signal: AbortSignal,
  ): Promise<Hash | undefined> {
    if (height === checkpoint.height) return checkpoint.hash;
    const above = await this.store.repository.findBlock(this.chain, height + 1n);
    if (above === undefined) return undefined;
    const [header] = await node.client.getBlockHeaders({ heights: [above.height], signal });
    if (header === undefined) {
      throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have block ${above.height}`);
    }
    if (header.hash === above.hash) return header.parentHash;
    const message = `block ${above.height} is ${header.hash}, the index has ${above.hash} there`;
    throw new EvmError('WRONG_PARENT', message);
  }
}

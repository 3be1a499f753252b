import { EvmError } from '../../../avalanche/evm/evm.error.js';
import type { EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import type { FollowedChain, ReadContext } from '../../engine/following/chain-follower.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import type { NodeAtTip } from '../../engine/following/node-pool.js';
import { WriteBehind } from '../../engine/following/write-behind.js';
import type { ReadLimits } from '../sources/block-reader.js';
import type { ChainRecords } from './chain-records.js';
import { type BlockRef, type Checkpoint, checkpointAt, type Origin } from './checkpoint.js';
import type { EvmIndexRepository } from '../rows/evm-index.repository.js';
import type { EvmNode, EvmNodes, EvmPosition } from '../sources/evm-node.js';
import type { EvmBatch, EvmWriter } from '../rows/evm-writer.js';

/** A tip that is no further away than this is read up to; otherwise the tip comes first, and what is below it is filled in. */
const NEAR_BLOCKS = 10_000n;

export interface EvmStore {
  readonly repository: EvmIndexRepository;
  readonly writer: EvmWriter;
  /** For what need not be read anew each time. */
  readonly records: ChainRecords;
}

/** Rows of new blocks, as far as the index of the chain wants them. */
export interface TipReader {
  /** Upwards from above the parent. Throws RpcError, and EvmError for what is not believed. */
  upwards(
    client: EvmClient,
    range: HeightRange,
    parent: BlockRef | undefined,
    limits: ReadLimits,
  ): AsyncGenerator<TipBatch, void>;
  /** Whether it knows the content of the first block. */
  knowsGenesis(): Promise<boolean>;
  /** Blocks that were read and not written must be read again. */
  forget(): void;
}

export interface TipBatch extends Pick<EvmBatch, 'facets' | 'tokens'> {
  /** The block that it ends with. */
  readonly last: EvmHeader;
}

const NOTHING: EvmPosition = { height: -1n, hash: null, genesisHash: null };

/** An EVM chain at its tip: each new block is written with all that comes with it. */
export class FollowedEvmChain implements FollowedChain<EvmPosition, EvmNode> {
  private checkpoint: Checkpoint | undefined;

  constructor(
    private readonly chain: EvmChain,
    private readonly store: EvmStore,
    private readonly nodes: EvmNodes,
    private readonly reader: TipReader,
  ) {}

  get position(): EvmPosition {
    return this.checkpoint ?? NOTHING;
  }

  get waitsFor(): string | undefined {
    if (this.checkpoint !== undefined) return undefined;
    return `the chain has not come to its start ${this.chain.startHeight} yet`;
  }

  forget(): void {
    this.checkpoint = undefined;
    this.reader.forget();
  }

  async open(): Promise<void> {
    const checkpoint = await this.store.repository.findCheckpoint(this.chain);
    if (checkpoint === undefined) this.forget();
    this.checkpoint = checkpoint;
  }

  async copy({ node, tip }: NodeAtTip<EvmNode>, context: ReadContext): Promise<void> {
    const { checkpoint } = this;
    const from = checkpoint === undefined ? await this.start(tip) : nextAfter(checkpoint, tip);
    if (from > tip) return;
    const origin = checkpoint ?? { firstHeight: from, genesisHash: await this.genesisHash(context.signal) };
    const parent = checkpoint?.height === from - 1n ? checkpoint : undefined;
    const writing = new WriteBehind();
    let isEmpty = true;
    try {
      for await (const batch of this.reader.upwards(node.client, { from, to: tip }, parent, context)) {
        isEmpty = false;
        await writing.begin(() => this.write(batch, origin).then(() => void context.report()));
      }
      await writing.settle();
      // The next node may have it: this one announces blocks that it does not give.
      if (isEmpty) throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have block ${from}`);
    } catch (error) {
      this.reader.forget(); // what was read and not written must be read again
      await writing.settle();
      throw error;
    }
  }

  settle(signal: AbortSignal): Promise<void> {
    return this.store.writer.vacuum(this.chain, this.position.height, signal);
  }

  /** Where the index begins: not with a genesis whose allocations are unknown. */
  private async start(tip: bigint): Promise<bigint> {
    const start = startAt(this.chain, tip);
    return start > 0n || (await this.reader.knowsGenesis()) ? start : 1n;
  }

  private async genesisHash(signal: AbortSignal): Promise<Origin['genesisHash']> {
    return (await this.nodes.askAny((node) => node.hashAt(0n, signal), signal)) ?? null;
  }

  private async write({ last, ...batch }: TipBatch, origin: Origin): Promise<void> {
    const { chain, checkpoint: before } = this;
    const after = checkpointAt(origin, last);
    await this.store.writer.write({ chain, ...batch, checkpoint: { before, after } });
    this.checkpoint = after;
  }
}

function startAt({ startHeight }: EvmChain, tip: bigint): bigint {
  if (startHeight === 'tip') return tip;
  return startHeight > tip || tip - startHeight <= NEAR_BLOCKS ? startHeight : tip;
}

function nextAfter({ height }: Checkpoint, tip: bigint): bigint {
  return tip - height <= NEAR_BLOCKS ? height + 1n : tip;
}

import { EvmError } from '../../../avalanche/evm/evm.error.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { type HeightRange, subtract } from '../../engine/coverage/height-range.js';
import { batchesOf } from '../rows/base-rows.js';
import type { BlockReader, ReadLimits } from './block-reader.js';
import { type Checkpoint, wantedBlocks } from '../facets/checkpoint.js';
import type { EvmNode, EvmNodes } from './evm-node.js';
import { hashOnRecord } from './hash-on-record.js';
import type { FacetSource, FacetTarget } from '../facets/facet-source.js';
import type { History } from '../facets/history.js';
import { BASE } from '../facets/facets.js';
import type { EvmStore } from '../facets/followed-evm-chain.js';
import type { TokenReader } from './token-reader.js';

const GENESIS: HeightRange = { from: 0n, to: 0n };

/** Older blocks with their receipts. */
export class BaseSource implements FacetSource {
  readonly facet = BASE;
  waitsFor: string | undefined;

  constructor(
    private readonly chain: EvmChain,
    private readonly store: EvmStore,
    readonly nodes: EvmNodes,
    private readonly reader: BlockReader,
    private readonly tokens: TokenReader,
    readonly history: History,
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

  async *read(
    node: EvmNode,
    range: HeightRange,
    checkpoint: Checkpoint,
    limits: ReadLimits,
    findBlock: FacetTarget['findBlock'],
  ) {
    const parent = range.from === 0n ? undefined : await findBlock(range.from - 1n);
    let lastHash = await hashOnRecord(node, range.to, checkpoint, findBlock, limits.signal);
    const batches = this.reader.downwards(node.client, range, { lastHash, parent }, limits);
    for await (const { blocks, tokens } of batches) {
      const [lowest, top] = [blocks[0]?.block, blocks.at(-1)?.block];
      if (lowest === undefined || top === undefined) return;
      const links = { topHash: top.hash, parentHash: lowest.parentHash, expectedTop: lastHash };
      yield { facets: batchesOf(this.chain, blocks), tokens, links };
      lastHash = lowest.parentHash;
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

  /** Tokens that could not be asked, or were asked long ago. */
  async idle(signal: AbortSignal): Promise<boolean> {
    return this.tokens.refresh(this.nodes, this.store.writer, signal);
  }
}

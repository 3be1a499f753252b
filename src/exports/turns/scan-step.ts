import { assertChain } from '../../avalanche/evm/blocks/block.js';
import type { Address, Hash } from '../../avalanche/evm/rpc/hex-values.js';
import type { ExportNodes } from '../rows/export-node.js';
import { ScanReader } from '../rows/scan-reader.js';
import { formatBlock, tokensIn } from '../rows/scanned-rows.js';
import { genesisMissing } from './export-gaps.js';
import { addMissing, type ExportPosition, takeStep } from './export-position.js';
import type { ExportSources, StepStart } from './turn-input.js';

/** Reads the rows of a few blocks that are not indexed from nodes. */
export class ScanStep {
  private readonly readers = new Map<bigint, ScanReader>();

  constructor(
    private readonly sources: Pick<ExportSources, 'blocks' | 'labels'>,
    private readonly addresses: ReadonlySet<Address>,
    private readonly nodes: ExportNodes,
    /** Whether another step is likely. */
    private readonly hasTime: () => boolean,
  ) {}

  /** Ends below the first height that is indexed, if there is one. */
  async *take(start: StepStart, indexedHeight: bigint | undefined): AsyncGenerator<Buffer, ExportPosition> {
    const { position, slice, chainSlice, chain, avaxAssetId } = start;
    const { nextHeight: fromHeight, toHeight } = chainSlice;
    const isCut = indexedHeight !== undefined && indexedHeight <= toHeight;
    const node = this.nodes.of(chain);
    const blocks = await this.readerOf(start).read(fromHeight, isCut ? indexedHeight - 1n : toHeight);
    const headers = blocks.map(({ block }) => block);
    assertChain(headers, await this.parentOf(start));
    const labels = await this.sources.labels.of(chain, tokensIn(blocks, this.addresses), node);
    const isGenesisMissing = fromHeight === 0n && !(await node.knowsGenesis());
    let rows = 0;
    for (const block of blocks) {
      const formatted = formatBlock(block, { chain, avaxAssetId, addresses: this.addresses, labels });
      rows += formatted.rows;
      if (formatted.rows > 0) yield Buffer.from(formatted.text);
    }
    const reached = takeStep(position, slice, chainSlice, {
      toHeight: fromHeight + BigInt(blocks.length) - 1n,
      rows,
      scannedBlocks: blocks.length,
      parentHash: headers.at(-1)?.hash ?? null,
    });
    const { gaps } = reached;
    const known = isGenesisMissing ? { ...reached, gaps: genesisMissing(gaps, chain) } : reached;
    return blocks.reduce(
      (all, { block, isTraced }) => (isTraced ? all : addMissing(all, chain, 'untraced', block, block)),
      known,
    );
  }

  private async parentOf({
    chain,
    chainSlice: { nextHeight, parentHash },
  }: StepStart): Promise<{ height: bigint; hash: Hash } | undefined> {
    if (nextHeight === 0n) return undefined;
    const height = nextHeight - 1n;
    const hash = parentHash ?? (await this.sources.blocks.hashOf(chain, height));
    return hash === undefined ? undefined : { height, hash };
  }

  private readerOf({ chain }: StepStart): ScanReader {
    const reader = this.readers.get(chain.chainId) ?? new ScanReader(this.nodes.of(chain), this.hasTime);
    this.readers.set(chain.chainId, reader);
    return reader;
  }
}

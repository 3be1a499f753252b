import { type Address, readAddress } from '../../avalanche/evm/rpc/hex-values.js';
import { type EvmChain, isLocalCChain } from '../../platform/evm-chains/evm-chain.js';
import { ExportNodes } from '../rows/export-node.js';
import { TokenSumReader } from '../rows/token-sum-reader.js';
import { SearchStep } from '../search/search-step.js';
import { UntracedStep } from '../search/untraced-step.js';
import { TransactionExportError } from '../transaction-export.error.js';
import { CopyStep } from './copy-step.js';
import type { ChainSlice, ExportPosition, Slice } from './export-position.js';
import { SlicePlanner } from './slice-planner.js';
import { addTokenSums } from './token-sums.js';
import type { EvmTurnInput, ExportSources, StepStart, TurnWork } from './turn-input.js';

/** Rows of EVM chains: copied from the tables where they have the blocks, and otherwise from nodes. */
export class EvmWork implements TurnWork {
  private readonly planner: SlicePlanner;
  private readonly copyStep: CopyStep;
  private readonly searchStep: SearchStep;
  private readonly untracedStep: UntracedStep;
  private readonly addresses: ReadonlySet<Address>;

  constructor(
    input: EvmTurnInput,
    private readonly sources: ExportSources,
    options: { readonly signal: AbortSignal; readonly hasTime: () => boolean },
  ) {
    const { operationId, request, durationMs } = input;
    const { signal, hasTime } = options;
    const nodes = new ExportNodes(sources, signal);
    this.addresses = new Set(request.addresses.map((address) => readAddress(address, 'address')));
    this.planner = new SlicePlanner(input, sources, nodes);
    this.copyStep = new CopyStep(sources, this.addresses, durationMs, signal);
    const searched = { operationId, addresses: [...this.addresses], windows: sources.windows, hasTime };
    this.searchStep = new SearchStep(sources, searched, nodes);
    this.untracedStep = new UntracedStep(sources, searched, nodes, this.copyStep, this.searchStep);
  }

  plan(position: ExportPosition): Promise<ExportPosition> {
    return this.planner.plan(position);
  }

  async *step(
    position: ExportPosition,
    slice: Slice,
    chainSlice: ChainSlice,
  ): AsyncGenerator<Buffer, ExportPosition> {
    const { sources } = this;
    if (chainSlice.chainId === null) throw new RangeError('a stretch of no EVM chain');
    const chain = sources.chains.byId(chainSlice.chainId);
    const start = { position, slice, chainSlice, chain, avaxAssetId: await this.avaxOf(chain) };
    const coverage = await sources.blocks.coverageOf(chain);
    const range = coverage.rangeAt(chainSlice.nextHeight);
    if (range !== undefined) {
      const step = range.isTraced ? this.copyStep : this.untracedStep;
      return yield* this.addUp(start, step.take(start, range));
    }
    const { fromHeight: from, toHeight: to } = chainSlice;
    const gap = coverage.gapAround(chainSlice.nextHeight, { from, to });
    return yield* this.addUp(start, this.searchStep.take(start, { from: gap.from - 1n, to: gap.to }));
  }

  /** With what the rows of tokens add up to. */
  private async *addUp(
    { position, chain }: StepStart,
    step: AsyncGenerator<Buffer, ExportPosition>,
  ): AsyncGenerator<Buffer, ExportPosition> {
    const reader = new TokenSumReader(chain, this.addresses);
    try {
      for (;;) {
        const next = await step.next();
        if (next.done) {
          return { ...next.value, tokens: addTokenSums(position.tokens, chain.chainId, reader.sums) };
        }
        reader.add(next.value);
        yield next.value;
      }
    } finally {
      await step.return(position);
    }
  }

  /** Throws rather than guess: rows that name a wrong asset, or none, would stay in the file. */
  private async avaxOf(chain: EvmChain): Promise<string | undefined> {
    const { avaxAssetId, isIndexed } = await this.sources.indexedNetworks.get(chain.network);
    if (isIndexed || !isLocalCChain(chain)) return avaxAssetId;
    throw new TransactionExportError(
      'NETWORK_NOT_INDEXED',
      `the AVAX of chain ${chain.chainId} is not known before the P-chain of its network is indexed`,
    );
  }
}

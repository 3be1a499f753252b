import { readAddress } from '../../avalanche/evm/rpc/hex-values.js';
import { type EvmChain, isLocalCChain } from '../../platform/evm-chains/evm-chain.js';
import { ExportNodes, isNodeFailure } from '../rows/export-node.js';
import type { TurnContent } from '../rows/part-content.js';
import { TransactionExportError } from '../transaction-export.error.js';
import { SearchStep } from '../search/search-step.js';
import { CopyStep } from './copy-step.js';
import { currentChain, endSlice, type ExportPosition, type Slice } from './export-position.js';
import { SlicePlanner } from './slice-planner.js';
import type { ExportSources, TurnInput } from './turn-input.js';

/**
 * A stretch of an export's file, from a position on: it plans slices of days, and takes one step after the other through each. It moves
 * by whole steps, so that the position behind it is exact.
 */
export class ExportTurn {
  private readonly planner: SlicePlanner;
  private readonly copyStep: CopyStep;
  private readonly searchStep: SearchStep;
  private mayGoOn: (position: ExportPosition) => boolean = () => false;

  constructor(
    private readonly input: TurnInput,
    private current: ExportPosition,
    private readonly sources: ExportSources,
    private readonly signal: AbortSignal,
  ) {
    const nodes = new ExportNodes(sources, signal);
    const addresses = new Set(input.request.addresses.map((address) => readAddress(address, 'address')));
    this.planner = new SlicePlanner(input, sources, nodes);
    this.copyStep = new CopyStep(sources, addresses, input.durationMs, signal);
    const options = {
      operationId: input.operationId,
      addresses: [...addresses],
      windows: sources.windows,
      hasTime: () => this.mayGoOn(this.current),
    };
    this.searchStep = new SearchStep(sources, options, nodes);
  }

  get position(): ExportPosition {
    return this.current;
  }

  /** Takes at least one step; ends when the export does, or when it is told not to go on. */
  async *content(mayGoOn: (position: ExportPosition) => boolean): AsyncGenerator<TurnContent, void> {
    this.mayGoOn = mayGoOn;
    const begin = this.current;
    do {
      this.signal.throwIfAborted();
      const { slice } = this.current;
      try {
        this.current = slice === null ? await this.planner.plan(this.current) : yield* this.step(slice);
        if (slice !== null && this.current.slice === null) yield { position: this.current };
      } catch (error) {
        // What was done so far is worth keeping: otherwise a node that fails now and then would hold the export up forever.
        if (this.current === begin || !isNodeFailure(error)) throw error;
        return;
      }
    } while (this.current.state === 'more' && this.mayGoOn(this.current));
  }

  /** Asks no node once it has yielded rows: a turn that a node ends keeps its rows, and must have the position behind them. */
  private async *step(slice: Slice): AsyncGenerator<Buffer, ExportPosition> {
    const { current: position, input, sources } = this;
    const chainSlice = currentChain(slice);
    if (chainSlice === undefined) return endSlice(position, slice, input.period, input.limits);
    const chain = sources.chains.byId(chainSlice.chainId);
    const start = { position, slice, chainSlice, chain, avaxAssetId: await this.avaxOf(chain) };
    const coverage = await sources.blocks.coverageOf(chain);
    const range = coverage.rangeAt(chainSlice.nextHeight);
    if (range !== undefined) return yield* this.copyStep.take(start, range);
    const { fromHeight: from, toHeight: to } = chainSlice;
    const gap = coverage.gapAround(chainSlice.nextHeight, { from, to });
    return yield* this.searchStep.take(start, { from: gap.from - 1n, to: gap.to });
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

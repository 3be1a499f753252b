import { signaturesOf } from '../../avalanche/evm/history/block-effects.js';
import type { SearchRange } from '../../avalanche/evm/history/account-history.js';
import { findFirstRise } from '../../avalanche/evm/history/find-changes.js';
import { EvmError } from '../../avalanche/evm/evm.error.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { LogWindows } from '../../avalanche/evm/rpc/log-windows.js';
import type { ExportNode, ExportNodes } from '../rows/export-node.js';
import { formatBlock, tokensIn } from '../rows/found-rows.js';
import { genesisMissing } from '../turns/export-gaps.js';
import { addMissing, type ExportPosition, takeStep } from '../turns/export-position.js';
import type { ExportSources, StepStart } from '../turns/turn-input.js';
import { type ExplainedBlock, explainBlocks } from './explained-blocks.js';
import { type AccountFinding, addFinding, type Findings, isReserved, NOTHING_FOUND } from './findings.js';
import { type FoundBlocks, OutOfTime, RangeSearch } from './range-search.js';

/** Read and held against the accounts at a time. */
const BLOCKS_PER_STEP = 100;

export interface SearchOptions {
  readonly operationId: string;
  readonly addresses: readonly Address[];
  readonly windows: LogWindows;
  /** Whether the turn goes on. */
  readonly hasTime: () => boolean;
}

/** The rows of blocks that are not indexed: finds those that concern the accounts, and reads only these. */
export class SearchStep {
  private readonly searches = new Map<string, RangeSearch>();
  private readonly wanted: readonly Address[];
  private readonly ours: ReadonlySet<Address>;

  constructor(
    private readonly sources: Pick<ExportSources, 'blocks' | 'labels' | 'searches'>,
    private readonly options: SearchOptions,
    private readonly nodes: ExportNodes,
  ) {
    this.ours = new Set(options.addresses);
    this.wanted = options.addresses.filter((address) => !isReserved(address));
  }

  /**
   * `range`: the whole stretch that is not indexed, which may begin below the height at hand; `certain`: blocks of it that are read whatever
   * is found.
   */
  async *take(
    start: StepStart,
    range: SearchRange,
    certain: readonly bigint[] = [],
  ): AsyncGenerator<Buffer, ExportPosition> {
    const { position, slice, chainSlice, chain } = start;
    const node = this.nodes.of(chain);
    const search = await this.searchOf(start, range, node, certain);
    try {
      const found = await search.find();
      const next = found.heights.filter((height) => height >= chainSlice.nextHeight);
      const heights = next.slice(0, BLOCKS_PER_STEP);
      const isLast = next.length <= BLOCKS_PER_STEP;
      const explained = await this.explain(start, heights, found, { node, search, range });
      const labels = await this.sources.labels.of(chain, tokensIn(explained.blocks, this.ours), node);
      const findings = isLast
        ? await this.close(start, explained.findings, found, { node, search, range })
        : explained.findings;
      const isGenesisMissing = heights[0] === 0n && !(await node.knowsGenesis());
      let rows = 0;
      for (const block of explained.blocks) {
        const { avaxAssetId } = start;
        const formatted = formatBlock(block, { chain, avaxAssetId, addresses: this.ours, labels });
        rows += formatted.rows;
        if (formatted.rows > 0) yield Buffer.from(formatted.text);
      }
      const toHeight = isLast ? range.to : (heights.at(-1) ?? range.to);
      const nodeCalls = search.takeCalls() + 2 * heights.length;
      const reached = takeStep({ ...position, findings }, slice, chainSlice, {
        toHeight,
        rows,
        nodeCalls,
        searched: isLast ? 0 : search.done,
      });
      const known = isGenesisMissing ? { ...reached, gaps: genesisMissing(reached.gaps, chain) } : reached;
      return explained.untraced.reduce(
        (all, { block }) => addMissing(all, chain, 'untraced', block, block),
        known,
      );
    } catch (error) {
      return stayAfter(error, start, search);
    }
  }

  private async explain(
    { position, chain, avaxAssetId }: StepStart,
    heights: readonly bigint[],
    { histories, contracts }: FoundBlocks,
    { node, search }: Place,
  ): Promise<{ blocks: ExplainedBlock[]; untraced: ExplainedBlock[]; findings: Findings }> {
    const knowsGenesis = await node.knowsGenesis();
    const context = { node, search, histories, contracts, avaxAssetId, knowsGenesis };
    const blocks = await explainBlocks(heights, context);
    let { findings } = position;
    for (const { address, changes } of histories) {
      const own = changes.filter(({ height }) => heights.includes(height));
      const remainders = blocks.flatMap(({ remainders: all }) =>
        all.filter((each) => each.address === address),
      );
      findings = addFinding(findings, chain, address, {
        ...NOTHING_FOUND,
        isContract: contracts.has(address) || blocks.some((block) => block.contracts.includes(address)),
        hasSigned: blocks.some(({ block }) => signaturesOf(address, block) > 0n),
        changes: own.length,
        unnamed: remainders.filter(({ balance }) => balance !== 0n).length,
      });
    }
    const untraced = contracts.size === 0 ? [] : blocks.filter(({ isTraced }) => !isTraced);
    return { blocks, untraced, findings };
  }

  /** Of a stretch that is whole: the accounts at both ends, and whether those that have not signed in it have signed since. */
  private async close(
    { position, chain }: StepStart,
    findings: Findings,
    { histories }: FoundBlocks,
    { node, search, range }: Place,
  ): Promise<Findings> {
    let closed = findings;
    for (const { address, opening, closing } of histories) {
      const known = findings[chain.chainId.toString()]?.accounts[address];
      const before = position.findings[chain.chainId.toString()]?.accounts[address];
      const isOpen = known?.hasSigned !== true && before?.isContract !== true;
      const found: AccountFinding = {
        ...NOTHING_FOUND,
        ranges: [{ ...range, opening, closing }],
        hasSigned: isOpen && (await this.hasSignedSince(address, range.to, node, search)),
      };
      closed = addFinding(closed, chain, address, found);
    }
    for (const address of this.options.addresses.filter(isReserved)) {
      closed = addFinding(closed, chain, address, NOTHING_FOUND);
    }
    return closed;
  }

  private async hasSignedSince(
    address: Address,
    height: bigint,
    node: ExportNode,
    search: RangeSearch,
  ): Promise<boolean> {
    const tip = await node.tip();
    if (tip <= height) return false;
    const span = { address, field: 'nonce' as const, from: height, to: tip };
    const first = await findFirstRise(span, (queries) => search.read(queries, { isPatient: true }));
    if (first === undefined) return false;
    const [block] = await node.blocksAt([first]);
    return block !== undefined && signaturesOf(address, block) > 0n;
  }

  /** Blocks that are found far apart cannot be followed from one to the next: those around the stretch must be the index's. */
  private async assertSameHistory(
    { chain }: StepStart,
    { from, to }: SearchRange,
    node: ExportNode,
  ): Promise<void> {
    const [below, above] = [
      await this.sources.blocks.hashOf(chain, from),
      await this.sources.blocks.hashOf(chain, to + 1n),
    ];
    const parent = below === undefined ? below : (await node.header(from + 1n)).parentHash;
    const next = above === undefined ? above : (await node.header(to + 1n)).hash;
    if (parent === below && next === above) return;
    throw new EvmError('WRONG_PARENT', `blocks ${from + 1n} to ${to} are not between those of the index`);
  }

  /** The same one for all steps of a turn through a stretch. */
  private async searchOf(
    start: StepStart,
    range: SearchRange,
    node: ExportNode,
    certain: readonly bigint[],
  ): Promise<RangeSearch> {
    const { chain } = start;
    const key = `${chain.chainId} ${range.from} ${range.to}`;
    const { operationId, windows, hasTime } = this.options;
    let search = this.searches.get(key);
    if (search === undefined) {
      await this.assertSameHistory(start, range, node);
      const place = { operationId, chain };
      const { searches } = this.sources;
      search = new RangeSearch(place, range, this.wanted, node, windows, searches, hasTime, certain);
      this.searches.set(key, search);
    }
    return search;
  }
}

/** The position of a step whose turn was over before its search. Throws all other errors. */
export function stayAfter(
  error: unknown,
  { position, slice, chainSlice }: StepStart,
  search: RangeSearch,
): ExportPosition {
  if (!(error instanceof OutOfTime)) throw error;
  const step = { toHeight: chainSlice.nextHeight - 1n, rows: 0, nodeCalls: search.takeCalls() };
  return takeStep(position, slice, chainSlice, { ...step, searched: search.done });
}

interface Place {
  readonly node: ExportNode;
  readonly search: RangeSearch;
  readonly range: SearchRange;
}

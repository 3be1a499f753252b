import type { SearchRange } from '../../avalanche/evm/history/account-history.js';
import { readAccountStates } from '../../avalanche/evm/history/account-state.js';
import { findChanges } from '../../avalanche/evm/history/find-changes.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { ExportNodes } from '../rows/export-node.js';
import { TransactionExportError } from '../transaction-export.error.js';
import type { CopyStep } from '../turns/copy-step.js';
import type { ExportPosition } from '../turns/export-position.js';
import type { CoveredRange } from '../turns/index-coverage.js';
import type { ExportSources, StepStart } from '../turns/turn-input.js';
import { addFinding, type Findings, isReserved, NOTHING_FOUND } from './findings.js';
import { RangeSearch } from './range-search.js';
import { readRecordedChanges } from './recorded-changes.js';
import { type SearchOptions, type SearchStep, stayAfter } from './search-step.js';

/** Blocks above `from`, up to `to`, whose rows were held against the accounts. */
interface Compared extends SearchRange {
  /** Those that changed a balance by something else than their rows, ascending; of several accounts more than once. */
  readonly heights: readonly bigint[];
}

/**
 * The rows of blocks that are indexed without their internal transfers. Whatever takes from an account that signs is in the tables. So where
 * its balance changed by what its rows add up to, it has received nothing else; otherwise the blocks in which it has are found by
 * halving, and read from nodes. All others are copied. Of a contract, which pays without a key, the net changes are found in this way.
 */
export class UntracedStep {
  /** By chain, the latest. */
  private readonly compared = new Map<bigint, Compared>();
  /** By chain: looked up once, as that goes through all partitions. */
  private readonly signers = new Map<bigint, ReadonlySet<Address>>();
  private readonly wanted: readonly Address[];

  constructor(
    private readonly sources: Pick<ExportSources, 'database' | 'blocks' | 'searches'>,
    private readonly options: SearchOptions,
    private readonly nodes: ExportNodes,
    private readonly copyStep: CopyStep,
    private readonly searchStep: SearchStep,
  ) {
    this.wanted = options.addresses.filter((address) => !isReserved(address));
  }

  async *take(start: StepStart, range: CoveredRange): AsyncGenerator<Buffer, ExportPosition> {
    const { chainId } = start.chain;
    const { nextHeight } = start.chainSlice;
    let compared = this.compared.get(chainId);
    let begun = start;
    if (compared === undefined || nextHeight <= compared.from || nextHeight > compared.to) {
      const search = this.searchOf(start, range);
      try {
        const found = await this.compare(start, range, search);
        if (found === undefined) return yield* this.copyStep.take(start, range);
        compared = found.compared;
        begun = withFindings(start, found.findings, search.takeCalls());
      } catch (error) {
        return stayAfter(error, start, search);
      }
      this.compared.set(chainId, compared);
    }
    const { to, heights } = compared;
    const next = heights.find((height) => height >= nextHeight);
    if (next === nextHeight) {
      return yield* this.searchStep.take(begun, { from: next - 1n, to: next }, [next]);
    }
    const isExplained = !this.options.addresses.some(isReserved);
    const explained = { ...range, to: next === undefined ? to : next - 1n, isTraced: isExplained };
    return yield* this.copyStep.take(begun, explained);
  }

  /** Of the blocks that are copied together. */
  private searchOf(start: StepStart, range: CoveredRange): RangeSearch {
    const { operationId, windows, hasTime } = this.options;
    const { chain, chainSlice } = start;
    const stretch = { from: chainSlice.nextHeight - 1n, to: this.copyStep.endOf(start, range) };
    const node = this.nodes.of(chain);
    const { searches } = this.sources;
    return new RangeSearch({ operationId, chain }, stretch, this.wanted, node, windows, searches, hasTime);
  }

  /** Undefined where nothing follows from balances: rows may be missing, and nodes may have forgotten states. */
  private async compare(
    { chain, avaxAssetId, position }: StepStart,
    { hasAtomic, isOutdated }: CoveredRange,
    search: RangeSearch,
  ): Promise<{ compared: Compared; findings: Findings } | undefined> {
    const addresses = this.wanted;
    const { database, blocks } = this.sources;
    if (!hasAtomic || isOutdated || addresses.length === 0) return undefined;
    const { from, to } = search.range;
    try {
      const contracts = new Set(await search.withCode());
      const heights = { fromHeight: from + 1n, toHeight: to };
      const recorded = await readRecordedChanges(database, { chain, avaxAssetId, addresses, ...heights });
      const spans = addresses.map((address) => ({ address, field: 'balance' as const, from, to }));
      const changes = await findChanges(spans, async (queries) => {
        const balances = await search.read(queries);
        return queries.map(
          ({ address, height }, index) =>
            (balances[index] ?? 0n) - (recorded.get(address)?.upTo(height) ?? 0n),
        );
      });
      const ends = addresses.flatMap((address) => [from, to].map((height) => ({ address, height })));
      const states = await readAccountStates(ends, (queries) => search.read(queries, { isPatient: true }));
      const signers = this.signers.get(chain.chainId) ?? (await blocks.signersAmong(chain, addresses));
      this.signers.set(chain.chainId, signers);
      const findings = addresses.reduce((known, address, index) => {
        const [opening, closing] = states.slice(2 * index);
        if (opening === undefined || closing === undefined) return known;
        const ranges = [{ from, to, opening, closing }];
        const found = { ranges, hasSigned: signers.has(address), isContract: contracts.has(address) };
        return addFinding(known, chain, address, { ...NOTHING_FOUND, ...found });
      }, position.findings);
      return { compared: { from, to, heights: changes.map(({ height }) => height) }, findings };
    } catch (error) {
      if (error instanceof TransactionExportError && error.code === 'STATE_UNAVAILABLE') return undefined;
      throw error;
    }
  }
}

function withFindings(
  { position, slice, ...start }: StepStart,
  findings: Findings,
  calls: number,
): StepStart {
  return {
    ...start,
    position: { ...position, findings, nodeCalls: position.nodeCalls + calls },
    slice: { ...slice, nodeCalls: slice.nodeCalls + calls },
  };
}

import { least } from '../../avalanche/bigints.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { HeightRange } from '../../indexes/engine/coverage/height-range.js';
import { endOfIndexed } from '../../indexes/evm/rows/partition-indexes.js';
import { copyOut, inBlocks } from '../rows/copy-out.js';
import { MOVEMENT_QUERY_SETTINGS, MOVEMENT_QUERY_TIMEOUT_MS, movementQuery } from '../rows/movement-query.js';
import type { MissingRows } from './export-gaps.js';
import { addMissing, type ExportPosition, takeStep } from './export-position.js';
import type { CoveredRange } from './index-coverage.js';
import { indexChanged } from './indexed-blocks.repository.js';
import type { ExportSources, StepStart } from './turn-input.js';
import { WindowSize } from './window-size.js';

/** Postgres sends a few rows at a time; each piece costs the storage about the same, whatever its size. */
const BLOCK_BYTES = 512 * 1024;
/** Longest time of one COPY, as a share of the turn, so that the turn ends about when it should. */
const COPY_SHARE = 0.2;

/** Copies the rows of a window of heights that are in the tables. */
export class CopyStep {
  private readonly windows = new Map<bigint, WindowSize>();

  constructor(
    private readonly sources: Pick<ExportSources, 'database' | 'blocks'>,
    private readonly addresses: ReadonlySet<Address>,
    private readonly turnMs: number,
    private readonly signal: AbortSignal,
  ) {}

  /** The last height of the next window. */
  endOf({ chain, chainSlice }: Pick<StepStart, 'chain' | 'chainSlice'>, { to }: HeightRange): bigint {
    const { nextHeight: from, toHeight } = chainSlice;
    const { current } = this.windowOf(chain.chainId);
    return least(endOfIndexed({ from, to: from + current - 1n }), to, toHeight);
  }

  async *take(
    { position, slice, chainSlice, chain, avaxAssetId }: StepStart,
    range: CoveredRange,
  ): AsyncGenerator<Buffer, ExportPosition> {
    const { blocks } = this.sources;
    const fromHeight = chainSlice.nextHeight;
    const window = this.windowOf(chain.chainId);
    const toHeight = this.endOf({ chain, chainSlice }, range);
    const query = { chain, avaxAssetId, addresses: [...this.addresses], fromHeight, toHeight };
    const startedAt = performance.now();
    const rows = yield* this.copyLines(movementQuery(query));
    window.learn({ heights: toHeight - fromHeight + 1n, rows, elapsedMs: performance.now() - startedAt });
    // A reset removes the range before it empties the tables.
    const coverage = await blocks.coverageOf(chain);
    if (!coverage.covers({ from: fromHeight, to: toHeight })) throw indexChanged(chain.chainId, toHeight);
    const step = { toHeight, rows, nodeCalls: 0, searched: 0 };
    const reached = takeStep(position, slice, chainSlice, step);
    const heights = { from: fromHeight, to: toHeight };
    const isUnlabelled = rows > 0 && (await blocks.hasUnaskedTokens(query));
    const missing = [...missingOf(range), ...(isUnlabelled ? (['unlabelled'] as const) : [])];
    if (missing.length === 0) return reached;
    const dates = await blocks.datesOf(chain, { ranges: [heights] });
    return dates.reduce(
      (known, { first, last }) =>
        missing.reduce((all, kind) => addMissing(all, chain, kind, first, last), known),
      reached,
    );
  }

  private async *copyLines(query: string): AsyncGenerator<Buffer, number> {
    const { signal } = this;
    const copy = copyOut(this.sources.database, query, {
      settings: MOVEMENT_QUERY_SETTINGS,
      timeoutMs: MOVEMENT_QUERY_TIMEOUT_MS,
      signal,
    });
    const blocks = inBlocks(copy, BLOCK_BYTES);
    let lines = 0;
    try {
      for (;;) {
        const next = await blocks.next();
        if (next.done) {
          if (lines === next.value) return lines;
          throw new RangeError(`${next.value} rows have come as ${lines} lines`);
        }
        lines += next.value.lines;
        yield next.value.content;
      }
    } finally {
      // Does nothing when it has come to its end.
      await blocks.return(0);
    }
  }

  private windowOf(chainId: bigint): WindowSize {
    const window = this.windows.get(chainId) ?? new WindowSize(this.turnMs * COPY_SHARE);
    this.windows.set(chainId, window);
    return window;
  }
}

/** Data that the tables of a range lack, besides what every block has. */
function missingOf({ isTraced, hasAtomic, isOutdated }: CoveredRange): MissingRows[] {
  return [
    ...(isTraced ? [] : (['untraced'] as const)),
    ...(hasAtomic ? [] : (['withoutAtomic'] as const)),
    ...(isOutdated ? (['outdated'] as const) : []),
  ];
}

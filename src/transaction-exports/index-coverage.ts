import type { CoverageByFacet } from '../indexing/coverage.repository.js';
import { completeRanges } from '../indexing/coverage.js';
import { BASE, TRACES } from '../evm-index/facets.js';
import { clip, type HeightRange, includes, subtract } from '../indexing/height-range.js';

/** A stretch of heights whose rows are in the tables. */
export interface CoveredRange extends HeightRange {
  /** Whether internal transfers are among them. */
  readonly isTraced: boolean;
}

/** What the index has of one chain; nothing in the tables beyond it may be believed to be complete. */
export class IndexCoverage {
  /** Ascending, without overlaps. */
  private constructor(readonly ranges: readonly CoveredRange[]) {}

  static of(coverage: CoverageByFacet): IndexCoverage {
    const traced = completeRanges(coverage.get(TRACES.name) ?? []);
    const ranges = completeRanges(coverage.get(BASE.name) ?? []).flatMap((range) => [
      ...clip(range, traced).map(({ from, to }) => ({ from, to, isTraced: true })),
      ...subtract({ from: range.from, to: range.to }, traced).map((part) => ({ ...part, isTraced: false })),
    ]);
    return new IndexCoverage(ranges.sort((a, b) => (a.from < b.from ? -1 : 1)));
  }

  rangeAt(height: bigint): CoveredRange | undefined {
    return this.ranges.find((range) => includes(range, height));
  }

  /** First covered height above one that is not. */
  nextAbove(height: bigint): bigint | undefined {
    return this.ranges.find(({ from }) => from > height)?.from;
  }
}

import { clip, type HeightRange, subtract } from './height-range.js';

/** Coverage of a stretch of heights, of one facet of a chain. */
export interface CoveredRange extends HeightRange {
  /** `complete`: the rows are there. `unavailable`: no node had it when it was asked for. `dropped`: older than what is kept. */
  readonly status: 'complete' | 'unavailable' | 'dropped';
  /** Of the decoder that made the rows. */
  readonly version: number;
  /** When the least recent of it was read or asked for, in ms. */
  readonly checkedAt: number;
}

/** Nodes come and go: what none of them had is asked for again after this time. */
export const ASK_AGAIN_AFTER_MS = 3_600_000;

/** The ranges, with one more that replaces the coverage of its heights, ascending; equal neighbours are merged. */
export function putRange(known: readonly CoveredRange[], added: CoveredRange): readonly CoveredRange[] {
  const kept = known.flatMap((range) => subtract(range, [added]).map((rest) => ({ ...range, ...rest })));
  const joined: CoveredRange[] = [];
  for (const range of [...kept, added].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = joined.at(-1);
    if (last === undefined || !isContinuedBy(last, range)) {
      joined.push(range);
    } else {
      const checkedAt = Math.min(last.checkedAt, range.checkedAt);
      joined.splice(-1, 1, { ...last, to: range.to, checkedAt });
    }
  }
  return joined;
}

function isContinuedBy(left: CoveredRange, right: CoveredRange): boolean {
  return left.to + 1n === right.from && left.status === right.status && left.version === right.version;
}

/** Of any version. */
export function completeRanges(ranges: readonly CoveredRange[]): CoveredRange[] {
  return ranges.filter(({ status }) => status === 'complete');
}

/** Heights that a facet lacks of those that it should have, each ascending. */
export interface OpenHeights {
  readonly missing: readonly HeightRange[];
  /** Made by an older decoder, or to be made again. */
  readonly outdated: readonly HeightRange[];
  /** No node had them. */
  readonly unavailable: readonly HeightRange[];
  /** As much of it as was asked for long enough ago to ask again. */
  readonly due: readonly HeightRange[];
}

export function findOpenHeights(
  ranges: readonly CoveredRange[],
  wanted: readonly HeightRange[],
  { version, now }: { version: number; now: number },
): OpenHeights {
  const outdated = ranges.filter((range) => range.status === 'complete' && range.version < version);
  const unavailable = ranges.filter(({ status }) => status === 'unavailable');
  const due = unavailable.filter(({ checkedAt }) => now - checkedAt >= ASK_AGAIN_AFTER_MS);
  return {
    missing: wanted.flatMap((range) => subtract(range, ranges)),
    outdated: within(wanted, outdated),
    unavailable: within(wanted, unavailable),
    due: within(wanted, due),
  };
}

function within(wanted: readonly HeightRange[], ranges: readonly HeightRange[]): HeightRange[] {
  return wanted.flatMap((range) => clip(range, ranges));
}

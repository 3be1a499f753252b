import { greatest, least } from '../../../avalanche/bigints.js';

/** Heights, both ends included. */
export interface HeightRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** The rest of a range without others; ascending when those are. */
export function subtract(range: HeightRange, taken: readonly HeightRange[]): HeightRange[] {
  let left: HeightRange[] = [range];
  for (const { from, to } of taken) {
    left = left.flatMap((part) => {
      if (part.to < from || to < part.from) return [part];
      return [
        { from: part.from, to: from - 1n },
        { from: to + 1n, to: part.to },
      ].filter((rest) => rest.from <= rest.to);
    });
  }
  return left;
}

/** The parts of each of them within the range. */
export function clip({ from, to }: HeightRange, ranges: readonly HeightRange[]): HeightRange[] {
  return ranges
    .filter((range) => range.from <= to && from <= range.to)
    .map((range) => ({
      from: greatest(range.from, from),
      to: least(range.to, to),
    }));
}

export function countHeights(ranges: readonly HeightRange[]): bigint {
  return ranges.reduce((sum, { from, to }) => sum + (to - from + 1n), 0n);
}

export function includes({ from, to }: HeightRange, height: bigint): boolean {
  return from <= height && height <= to;
}

/** Of the bigint that Postgres keeps heights in, which can also hold the next one. */
export const MAX_HEIGHT = 2n ** 63n - 2n;

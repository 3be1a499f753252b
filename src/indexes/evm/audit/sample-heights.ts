import { SAMPLE_SIZE } from '../../engine/audit/sample.js';
import { clip, countHeights, type HeightRange } from '../../engine/coverage/height-range.js';

/** The newest blocks were written before any header could prove their receipts, so half of a sample is of these. */
const NEWEST_BLOCKS = 10_000n;

/** Some heights of each facet, ascending. `ranges`: what is complete of each, ascending. */
export function sampleHeights(facets: readonly (readonly HeightRange[])[]): bigint[] {
  const heights = facets.flatMap((ranges) => {
    const to = ranges.at(-1)?.to ?? 0n;
    const newest = clip({ from: to - NEWEST_BLOCKS + 1n, to }, ranges);
    return [...someOf(ranges), ...someOf(newest)];
  });
  return [...new Set(heights)].sort((one, other) => (one < other ? -1 : 1));
}

function someOf(ranges: readonly HeightRange[]): bigint[] {
  const count = countHeights(ranges);
  if (count === 0n) return [];
  return Array.from({ length: SAMPLE_SIZE / 2 }, () => {
    let left = BigInt(Math.floor(Math.random() * Number(count)));
    for (const { from, to } of ranges) {
      const size = to - from + 1n;
      if (left < size) return from + left;
      left -= size;
    }
    throw new RangeError('a height beyond all ranges');
  });
}

/** Times are counted in buckets, each of which begins a tenth above the one before: a quantile is at most 5 % off. */
const GROWTH = 1.1;
const LEAST_MS = 1;
/** Ten minutes: no answer takes longer. */
const LAST_BUCKET = 140;

export function bucketOf(milliseconds: number): number {
  const bucket = Math.ceil(Math.log(Math.max(milliseconds, LEAST_MS) / LEAST_MS) / Math.log(GROWTH));
  return Math.min(bucket, LAST_BUCKET);
}

/** So many of the values, 0 to 1, are at most this long, in milliseconds. Undefined without values. */
export function quantileOf(counts: ReadonlyMap<number, number>, share: number): number | undefined {
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  let below = 0;
  for (const [bucket, count] of buckets) {
    below += count;
    if (count > 0 && below >= total * share) return middleOf(bucket);
  }
  return undefined;
}

function middleOf(bucket: number): number {
  return Number(((LEAST_MS * (2 * GROWTH ** bucket)) / (GROWTH + 1)).toPrecision(3));
}

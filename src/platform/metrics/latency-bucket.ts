/**
 * Times are kept as counts per bucket, each of which begins 4 % above the one before; a quantile is the middle of its bucket, and so at
 * most 2 % from the true one.
 */
const GROWTH = 1.04;
export const QUANTILE_ERROR = 0.02;
/** Shorter times are not distinguished. */
const LEAST_MS = 0.01;

export function bucketOf(milliseconds: number): number {
  return Math.ceil(Math.log(Math.max(milliseconds, LEAST_MS)) / Math.log(GROWTH));
}

/** SQL: the bucket of a time in milliseconds. */
export function bucketInSql(milliseconds: string): string {
  return `ceil(ln(greatest(${milliseconds}, ${LEAST_MS})) / ln(${GROWTH}::float8))::int`;
}

/** Milliseconds in the middle of a bucket, to four digits. */
export function millisecondsOf(bucket: number): number {
  return Number(((2 * GROWTH ** bucket) / (GROWTH + 1)).toPrecision(4));
}

/** So many of the values, 0 to 1, are at most this long, in milliseconds. Undefined without values. */
export function quantileOf(counts: ReadonlyMap<number, number>, share: number): number | undefined {
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  let below = 0;
  for (const [bucket, count] of buckets) {
    below += count;
    if (count > 0 && below >= total * share) return millisecondsOf(bucket);
  }
  return undefined;
}

/**
 * Times are kept as counts per bucket, each of which begins 4 % above the one before; a median that is told is the middle of its
 * bucket, and so at most 2 % from the true one.
 */
const GROWTH = 1.04;
export const MEDIAN_ERROR = 0.02;
/** Below that nothing is told apart. */
const LEAST_MS = 0.01;

/** SQL: the bucket of a time in milliseconds. */
export function bucketOf(milliseconds: string): string {
  return `ceil(ln(greatest(${milliseconds}, ${LEAST_MS})) / ln(${GROWTH}::float8))::int`;
}

/** Milliseconds in the middle of a bucket, to four digits. */
export function millisecondsOf(bucket: number): number {
  return Number(((2 * GROWTH ** bucket) / (GROWTH + 1)).toPrecision(4));
}

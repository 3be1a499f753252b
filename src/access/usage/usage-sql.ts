import { bucketInSql } from '../../platform/metrics/latency-bucket.js';
import { COLUMN_OF, DIMENSIONS } from './usage.js';

/** Dimensions' columns, in the order of the bits of `grouping`. */
export const DIMENSION_COLUMNS = DIMENSIONS.map((dimension) => COLUMN_OF[dimension]).join(', ');

/** Values that are aggregated over requests in the log. */
export const COUNTS = `sum(requests) AS requests,
  coalesce(sum(requests) FILTER (WHERE response_code < 400), 0) AS successes,
  coalesce(sum(requests) FILTER (WHERE response_code BETWEEN 400 AND 499), 0) AS invalid,
  sum(units) AS units,
  coalesce(sum(units) FILTER (WHERE response_code BETWEEN 400 AND 499), 0) AS wasted,
  ${bucketInSql('duration_ms')} AS bucket`;

/** Sums of such counts, of the counts' own type: every row that stands beside them would become a slow numeric, too. */
export const SUMS = ['requests', 'successes', 'invalid', 'units', 'wasted']
  .map((count) => `sum(${count})::bigint AS ${count}`)
  .join(', ');

/** Of rows by bucket, with `up_to` and `total` counted over those of one cell: the bucket of the median. */
export const MEDIAN_BUCKET = 'min(bucket) FILTER (WHERE 2 * up_to >= total)';

/** `cell`: the columns that rows with different buckets have in common. */
export function ranks(cell: string): string {
  return `sum(requests) OVER (PARTITION BY ${cell} ORDER BY bucket) AS up_to, sum(requests) OVER (PARTITION BY ${cell}) AS total`;
}

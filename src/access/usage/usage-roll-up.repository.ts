import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../platform/database/database.js';
import { COUNTS, DIMENSION_COLUMNS, MEDIAN_BUCKET, ranks, SUMS } from './usage-sql.js';

export const SPANS = ['hour', 'day'] as const;
export type Span = (typeof SPANS)[number];

/** Of UTC, where no day has another: a `1 day` is that of the time zone which the connection has. */
const HOURS_OF = { hour: 1, day: 24 } as const satisfies Record<Span, number>;

/** A time that is over for so long has all of its requests in the log: see the log's own rule. */
const SETTLED_AFTER = "interval '10 minutes'";

/** A day with tens of millions of requests; the schedule's next run goes on behind it. */
const TIME_LIMIT = { statementTimeoutMs: 600_000 };

const CELL = `org_id, "grouping", ${DIMENSION_COLUMNS}`;

/** Every combination of dimensions by itself, so that an answer reads no more rows than it has values. */
const ROLL_UP = `
INSERT INTO api_usage (org_id, span, "grouping", start_at, ${DIMENSION_COLUMNS}, requests, successes, invalid, units, wasted,
  median_bucket, buckets, counts)
WITH counted AS (
  SELECT org_id, ${DIMENSION_COLUMNS}, ${COUNTS}
    FROM api_requests WHERE at >= $2::timestamptz AND at < $3::timestamptz
   GROUP BY org_id, ${DIMENSION_COLUMNS}, bucket
), combined AS (
  SELECT org_id, GROUPING(${DIMENSION_COLUMNS}) AS "grouping", ${DIMENSION_COLUMNS}, bucket, ${SUMS}
    FROM counted GROUP BY org_id, bucket, CUBE (${DIMENSION_COLUMNS})
), ranked AS (
  SELECT *, ${ranks(CELL)} FROM combined
)
SELECT org_id, $1, "grouping", $2::timestamptz, ${DIMENSION_COLUMNS}, ${SUMS},
  ${MEDIAN_BUCKET}, array_agg(bucket ORDER BY bucket), array_agg(requests ORDER BY bucket)
  FROM ranked GROUP BY ${CELL}`;

interface NextRow {
  from: Date | null;
  to: Date | null;
}

/** Sums the log up, one hour or day at a time. */
@Injectable()
export class UsageRollUpRepository {
  constructor(private readonly database: Database) {}

  /** False when there is no more that is over. Of several at once, one does the work. */
  rollUpNext(span: Span): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const next = await nextOf(transaction, span);
      if (next === undefined) return false;
      await transaction.execute({ text: ROLL_UP, values: [span, next.from, next.to] });
      await transaction.execute({
        text: 'UPDATE api_usage_progress SET rolled_up_to = $2 WHERE span = $1',
        values: [span, next.to],
      });
      return true;
    }, TIME_LIMIT);
  }

  /** Removes requests of the log, and sums, that are older than the given numbers of days. */
  removeOld({ logDays, usageDays }: { logDays: number; usageDays: number }): Promise<void> {
    return this.database.transaction(async (transaction) => {
      await transaction.execute({
        // Requests that are not rolled up yet stay.
        text: `DELETE FROM api_requests WHERE at < (
          SELECT least(min(rolled_up_to), now() - make_interval(days => $1)) FROM api_usage_progress)`,
        values: [logDays],
      });
      await transaction.execute({
        text: 'DELETE FROM api_usage WHERE start_at < now() - make_interval(days => $1)',
        values: [usageDays],
      });
    }, TIME_LIMIT);
  }
}

/** The first one that has requests and is over. */
async function nextOf(transaction: Transaction, span: Span): Promise<{ from: Date; to: Date } | undefined> {
  await transaction.query({
    text: 'SELECT FROM api_usage_progress WHERE span = $1 FOR UPDATE',
    values: [span],
  });
  const [row] = await transaction.query<NextRow>({
    text: `SELECT first AS from, first + make_interval(hours => $2) AS to
      FROM api_usage_progress
     CROSS JOIN LATERAL (
       SELECT date_trunc($1, min(at), 'UTC') AS first FROM api_requests WHERE at >= rolled_up_to
     ) AS next
     WHERE span = $1 AND first + make_interval(hours => $2) <= now() - ${SETTLED_AFTER}`,
    values: [span, HOURS_OF[span]],
  });
  if (row === undefined || row.from === null || row.to === null) return undefined;
  return { from: row.from, to: row.to };
}

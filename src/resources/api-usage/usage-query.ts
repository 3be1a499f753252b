import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { COLUMN_OF, type Dimension, groupingOf, type TimeInterval } from '../../access/usage/usage.js';
import { COUNTS, MEDIAN_BUCKET, ranks, SUMS } from '../../access/usage/usage-sql.js';

export interface UsageQuestion {
  readonly orgId: string;
  readonly timeInterval: TimeInterval;
  /** UNIX seconds; `to` is not part of it. */
  readonly from: number;
  readonly to: number;
  readonly filters: { readonly [dimension in Dimension]?: string | undefined };
  readonly groupBy: Dimension | undefined;
}

/** Names of the intervals in Postgres. */
const UNIT_OF = {
  minute: 'minute',
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
} as const satisfies Record<TimeInterval, string>;

/** More values than anybody looks at: more than a year of hours, or a week of minutes. */
export const MAX_VALUES = 10_000;

const SUMMED = ['requests', 'successes', 'invalid', 'units', 'wasted'];

/** The parts of a query that its SQL follows from; the values are parameters by the names that the query has for them. */
export interface UsageShape extends Pick<UsageQuestion, 'timeInterval' | 'groupBy'> {
  readonly filters: readonly Dimension[];
}

/**
 * Usage from the coarsest rows that have it: sums of days, of the hours since the last whole day, and the log since the last
 * whole hour. Minutes come from the log alone.
 */
export function usageQuery(manager: EntityManager, shape: UsageShape): SelectQueryBuilder<ObjectLiteral> {
  const query = manager
    .createQueryBuilder()
    .addCommonTableExpression(PROGRESS, 'progress')
    .select("date_part('epoch', start_at)", 'start')
    .addSelect('value::text', 'groupValue')
    .from(`(${cells(UNIT_OF[shape.timeInterval], new Sources(shape))})`, 'cell')
    .orderBy('start_at', 'DESC')
    .addOrderBy('value')
    .limit(MAX_VALUES);
  for (const sum of SUMMED) query.addSelect(`${sum}::float8`, sum);
  return query.addSelect('median_bucket', 'medianBucket');
}

/** The last hour that has any. */
export function lastHourQuery(
  manager: EntityManager,
  filters: readonly Dimension[],
): SelectQueryBuilder<ObjectLiteral> {
  const sources = new Sources({ filters, groupBy: undefined });
  const log = sources.log('hour', 'at >= progress.hour');
  const sums = sources.sums('hour', 'start_at < progress.hour');
  return manager
    .createQueryBuilder()
    .addCommonTableExpression(PROGRESS, 'progress')
    .select("date_part('epoch', max(at))", 'at')
    .from(`(SELECT at FROM (${log}) AS logged UNION ALL SELECT start_at FROM (${sums}) AS summed)`, 'hour');
}

const PROGRESS = `
  SELECT max(rolled_up_to) FILTER (WHERE span = 'day') AS day, max(rolled_up_to) FILTER (WHERE span = 'hour') AS hour
    FROM api_usage_progress`;

function cells(unit: (typeof UNIT_OF)[TimeInterval], sources: Sources): string {
  switch (unit) {
    case 'minute':
      return merged(unit, [sources.log(unit, 'true')]);
    // Each cell of what is summed up is a row.
    case 'hour':
      return `${cellsOf(sources.sums('hour', 'start_at < progress.hour'))}
        UNION ALL ${merged(unit, [sources.log(unit, 'at >= progress.hour')])}`;
    case 'day':
      return `${cellsOf(sources.sums('day', 'start_at < progress.day'))}
        UNION ALL ${merged(unit, sinceLastDay(unit, sources))}`;
    case 'week':
    case 'month':
      return merged(unit, [
        unnested(sources.sums('day', 'start_at < progress.day')),
        ...sinceLastDay(unit, sources),
      ]);
  }
}

function cellsOf(sums: string): string {
  return `SELECT start_at, value, ${SUMMED.join(', ')}, median_bucket FROM (${sums}) AS sums`;
}

/** The time that no day's sums cover yet. */
function sinceLastDay(unit: string, sources: Sources): readonly string[] {
  return [
    unnested(sources.sums('hour', 'start_at >= progress.day AND start_at < progress.hour')),
    sources.log(unit, 'at >= progress.hour'),
  ];
}

/** Counts by bucket added up; rows of one cell become one. */
function merged(unit: string, sources: readonly string[]): string {
  return `SELECT start_at, value, ${SUMS}, ${MEDIAN_BUCKET} AS median_bucket FROM (
    SELECT *, ${ranks('start_at, value')} FROM (
      SELECT date_trunc('${unit}', at, 'UTC') AS start_at, value, bucket, ${SUMS}
        FROM (${sources.join(' UNION ALL ')}) AS counted GROUP BY 1, value, bucket
    ) AS by_bucket
  ) AS ranked GROUP BY start_at, value`;
}

/** The other sums stand with the first bucket, so that they are added once. */
function unnested(sums: string): string {
  const once = ['successes', 'invalid', 'units', 'wasted'].map(
    (name) => `CASE WHEN position = 1 THEN ${name} ELSE 0 END AS ${name}`,
  );
  return `SELECT start_at AS at, value, bucket, count AS requests, ${once.join(', ')}
    FROM (${sums}) AS sums, unnest(buckets, counts) WITH ORDINALITY AS histogram (bucket, count, position)`;
}

/** Where the rows come from, all with the same filters. */
class Sources {
  private readonly filters: string;
  private readonly grouping: number;
  private readonly value: string;

  constructor({ filters, groupBy }: Pick<UsageShape, 'filters' | 'groupBy'>) {
    this.filters = filters.map((dimension) => ` AND ${COLUMN_OF[dimension]} = :${dimension}`).join('');
    const kept = new Set(filters);
    if (groupBy !== undefined) kept.add(groupBy);
    this.grouping = groupingOf(kept);
    this.value = groupBy === undefined ? 'NULL::text' : COLUMN_OF[groupBy];
  }

  sums(span: 'hour' | 'day', when: string): string {
    return `SELECT start_at, ${this.value} AS value, ${SUMMED.join(', ')}, median_bucket, buckets, counts FROM api_usage, progress
      WHERE org_id = :orgId AND span = '${span}' AND "grouping" = ${this.grouping}
        AND start_at >= ${FROM} AND start_at < ${TO} AND ${when}${this.filters}`;
  }

  log(unit: string, when: string): string {
    return `SELECT at, value, bucket, ${SUMMED.join(', ')} FROM (
      SELECT date_trunc('${unit}', at, 'UTC') AS at, ${this.value} AS value, ${COUNTS} FROM api_requests, progress
       WHERE org_id = :orgId AND at >= ${FROM} AND at < ${TO} AND ${when}${this.filters}
       GROUP BY 1, 2, bucket) AS log`;
  }
}

const FROM = 'to_timestamp(:from::float8)';
const TO = 'to_timestamp(:to::float8)';

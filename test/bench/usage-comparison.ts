import { z } from 'zod';
import { QUANTILE_ERROR } from '../../src/platform/metrics/latency-bucket.js';
import { COLUMN_OF, type Dimension, DIMENSIONS, type TimeInterval } from '../../src/access/usage/usage.js';
import { ORG, type UsageBed } from './usage-bed.js';

/** As Postgres truncates times. */
const UNIT_OF = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' } as const satisfies Partial<
  Record<TimeInterval, string>
>;

const ValueSchema = z.object({
  groupValue: z.string().optional(),
  totalRequests: z.number(),
  successRatePercent: z.number(),
  medianResponseTimeMsecs: z.number(),
  invalidRequests: z.number(),
  apiCreditsUsed: z.number(),
  apiCreditsWasted: z.number(),
});
const AnswerSchema = z.object({
  metrics: z.array(z.object({ timestamp: z.number(), values: z.array(ValueSchema) })),
});
type Value = z.output<typeof ValueSchema>;

interface Counted {
  at: number;
  value: string | null;
  requests: number;
  successes: number;
  invalid: number;
  units: number;
  wasted: number;
  median: number;
}

interface Question {
  readonly timeInterval: keyof typeof UNIT_OF;
  readonly groupBy: Dimension | undefined;
}

const cellOf = (at: number, value: string | null | undefined): string => `${at} ${value ?? ''}`;

/** Every answer against one statement over the raw log that knows nothing of sums, buckets and pages; throws when one differs. */
export async function compareUsage(bed: UsageBed, log: (text: string) => void): Promise<void> {
  const intervals = ['hourly', 'daily', 'weekly', 'monthly'] as const;
  const groupings = [undefined, ...DIMENSIONS];
  let cells = 0;
  for (const timeInterval of intervals) {
    for (const groupBy of groupings) {
      const told = await ask(bed, { timeInterval, groupBy });
      const counted = await count(bed, { timeInterval, groupBy });
      const what = `${timeInterval}, ${groupBy ?? 'all together'}`;
      if (told.size !== counted.length) throw new Error(`${what}: ${told.size} of ${counted.length} values`);
      for (const one of counted) {
        const value = told.get(cellOf(one.at, one.value));
        if (value === undefined || !isEqual(value, one)) {
          throw new Error(`${what}: ${JSON.stringify(value)} instead of ${JSON.stringify(one)}`);
        }
      }
      cells += counted.length;
      log(`${what}: ${counted.length} values are equal`);
    }
  }
  console.log(`${cells} values equal what the log says; medians are within ${QUANTILE_ERROR * 100} %.`);
}

const DAY_SECONDS = 86_400;

async function ask(
  { client, from, to }: UsageBed,
  { timeInterval, groupBy }: Question,
): Promise<Map<string, Value>> {
  const told = new Map<string, Value>();
  let [end, known] = [to, -1];
  // An answer has the newest values; those before them are asked for until nothing more comes.
  while (told.size > known) {
    known = told.size;
    const query = new URLSearchParams({
      timeInterval,
      startTimestamp: String(from),
      endTimestamp: String(end),
      ...(groupBy === undefined ? {} : { groupBy }),
    });
    const body = await client.read(`/v1/apiUsageMetrics?${query.toString()}`);
    const { metrics } = AnswerSchema.parse(JSON.parse(body));
    for (const { timestamp, values } of metrics) {
      for (const value of values) told.set(cellOf(timestamp, value.groupValue), value);
    }
    // The first day may have been cut.
    const oldest = metrics.at(-1)?.timestamp ?? end;
    end = oldest + DAY_SECONDS - 1;
  }
  return told;
}

function count({ database, from, to }: UsageBed, { timeInterval, groupBy }: Question): Promise<Counted[]> {
  const value = groupBy === undefined ? 'NULL' : `${COLUMN_OF[groupBy]}::text`;
  const isInvalid = 'response_code BETWEEN 400 AND 499';
  return database.query<Counted>({
    text: `SELECT date_part('epoch', date_trunc('${UNIT_OF[timeInterval]}', at, 'UTC')) AS at, ${value} AS value,
        sum(requests)::float8 AS requests,
        coalesce(sum(requests) FILTER (WHERE response_code < 400), 0)::float8 AS successes,
        coalesce(sum(requests) FILTER (WHERE ${isInvalid}), 0)::float8 AS invalid,
        sum(units)::float8 AS units,
        coalesce(sum(units) FILTER (WHERE ${isInvalid}), 0)::float8 AS wasted,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms)::float8 AS median
      FROM api_requests WHERE org_id = $1 AND at >= to_timestamp($2) AND at < to_timestamp($3)
     GROUP BY 1, 2`,
    values: [ORG, from, to],
  });
}

function isEqual(told: Value, counted: Counted): boolean {
  const { requests, successes, invalid, units, wasted, median } = counted;
  return (
    told.totalRequests === requests &&
    told.invalidRequests === invalid &&
    told.apiCreditsUsed === units &&
    told.apiCreditsWasted === wasted &&
    Math.abs(told.successRatePercent - (100 * successes) / requests) < 1e-9 &&
    Math.abs(told.medianResponseTimeMsecs - median) <= (QUANTILE_ERROR + 1e-3) * median
  );
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { count, text, unixSeconds } from '../../../platform/http/openapi/fields.js';
import { QUANTILE_ERROR, millisecondsOf } from '../../../platform/metrics/latency-bucket.js';
import { GROUPINGS, type Grouping, TIME_INTERVALS, type TimeInterval } from '../../../access/usage/usage.js';
import { MAX_VALUES } from '../usage-query.js';
import type { UsageRow } from '../usage.repository.js';
import { DAY_SECONDS } from '../../../platform/time.js';

export class UsageValueResponse {
  @ApiProperty({
    enum: [...GROUPINGS, 'None'],
    description: 'The groupBy of the request; None without one.',
    example: 'None',
  })
  groupedBy!: Grouping | 'None';

  @ApiPropertyOptional(
    text(
      'The value that the requests have in common. Absent without groupBy, and for requests that have no such value.',
      '/v1/networks/{network}/validators',
    ),
  )
  groupValue?: string;

  @ApiProperty(count('Number of requests, including refused ones.', 9))
  totalRequests!: number;

  @ApiProperty({ description: 'Average over the whole interval.', example: 0.00010416666666666667 })
  requestsPerSecond!: number;

  @ApiProperty({
    description: 'Percentage of requests answered with a status below 400.',
    example: 88.88888888888889,
  })
  successRatePercent!: number;

  @ApiProperty({
    description: `Milliseconds; within ${QUANTILE_ERROR * 100} % of the true median.`,
    example: 126.9,
  })
  medianResponseTimeMsecs!: number;

  @ApiProperty(count('Answers with a status from 400 to 499.', 0))
  invalidRequests!: number;

  @ApiProperty(count('Cost units of all requests.', 302))
  apiCreditsUsed!: number;

  @ApiProperty(count('Cost units of invalid requests, which are included in apiCreditsUsed.', 0))
  apiCreditsWasted!: number;
}

export class UsageMetricResponse {
  @ApiProperty(unixSeconds('Start of the interval.', 1_795_305_600))
  timestamp!: number;

  @ApiProperty({ type: [UsageValueResponse], description: 'One value for each group.' })
  values!: UsageValueResponse[];
}

export class ApiUsageResponse {
  @ApiProperty({
    enum: [...TIME_INTERVALS],
    description: 'The timeInterval of the request.',
    example: 'daily',
  })
  aggregateDuration!: TimeInterval;

  @ApiProperty(text('The organisation whose requests these are.', 'public'))
  orgId!: string;

  @ApiProperty({
    type: [UsageMetricResponse],
    description: `The newest first; intervals without requests are omitted. At most the newest ${MAX_VALUES} values, and of minutes the last day that has any: ask for earlier ones with endTimestamp.`,
  })
  metrics!: UsageMetricResponse[];
}

/** Rows of one time follow each other. */
export function toMetrics(
  rows: readonly UsageRow[],
  { timeInterval, groupBy }: { timeInterval: TimeInterval; groupBy: Grouping | undefined },
): UsageMetricResponse[] {
  const metrics: UsageMetricResponse[] = [];
  for (const row of rows) {
    let metric = metrics.at(-1);
    if (metric?.timestamp !== row.start) {
      metric = { timestamp: row.start, values: [] };
      metrics.push(metric);
    }
    metric.values.push(toValue(row, { seconds: secondsOf(timeInterval, row.start), groupBy }));
  }
  return metrics;
}

function toValue(
  row: UsageRow,
  { seconds, groupBy }: { seconds: number; groupBy: Grouping | undefined },
): UsageValueResponse {
  return {
    groupedBy: groupBy ?? 'None',
    ...(row.groupValue === null ? {} : { groupValue: row.groupValue }),
    totalRequests: row.requests,
    requestsPerSecond: row.requests / seconds,
    successRatePercent: (100 * row.successes) / row.requests,
    medianResponseTimeMsecs: millisecondsOf(row.medianBucket),
    invalidRequests: row.invalid,
    apiCreditsUsed: row.units,
    apiCreditsWasted: row.wasted,
  };
}

function secondsOf(timeInterval: TimeInterval, start: number): number {
  switch (timeInterval) {
    case 'minute':
      return 60;
    case 'hourly':
      return 3_600;
    case 'daily':
      return DAY_SECONDS;
    case 'weekly':
      return 7 * DAY_SECONDS;
    case 'monthly': {
      const begin = new Date(start * 1000);
      return Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1, 1) / 1000 - start;
    }
  }
}

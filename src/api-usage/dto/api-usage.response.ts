import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MEDIAN_ERROR, millisecondsOf } from '../latency-bucket.js';
import { GROUPINGS, type Grouping, TIME_INTERVALS, type TimeInterval } from '../usage.js';
import type { UsageRow } from '../usage.repository.js';

export class UsageValueResponse {
  @ApiProperty({ enum: [...GROUPINGS, 'None'] })
  groupedBy: Grouping | 'None';

  @ApiPropertyOptional({ description: 'Absent without groupBy, and for requests that have none.' })
  groupValue?: string;

  @ApiProperty({ type: 'integer' })
  totalRequests: number;

  @ApiProperty({ description: 'Over the whole interval.' })
  requestsPerSecond: number;

  @ApiProperty({ description: 'Of answers below 400.' })
  successRatePercent: number;

  @ApiProperty({ description: `At most ${MEDIAN_ERROR * 100} % from the true one.` })
  medianResponseTimeMsecs: number;

  @ApiProperty({ type: 'integer', description: 'Answers from 400 to 499.' })
  invalidRequests: number;

  @ApiProperty({ type: 'integer', description: 'Cost units of all requests.' })
  apiCreditsUsed: number;

  @ApiProperty({ type: 'integer', description: 'Cost units of invalid requests, as part of apiCreditsUsed.' })
  apiCreditsWasted: number;
}

export class UsageMetricResponse {
  @ApiProperty({ type: 'integer', description: 'UNIX seconds of the beginning of the interval.' })
  timestamp: number;

  @ApiProperty({ type: [UsageValueResponse] })
  values: UsageValueResponse[];
}

export class ApiUsageResponse {
  @ApiProperty({ enum: [...TIME_INTERVALS], description: 'The timeInterval.' })
  aggregateDuration: TimeInterval;

  @ApiProperty()
  orgId: string;

  @ApiProperty({
    type: [UsageMetricResponse],
    description: 'In ascending order; intervals without a request are left out.',
  })
  metrics: UsageMetricResponse[];

  @ApiPropertyOptional({
    description: 'Absent on the last page. Minutes come by day, hours by year, or with groupBy by month.',
  })
  nextPageToken?: string;
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

const DAY_SECONDS = 86_400;

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

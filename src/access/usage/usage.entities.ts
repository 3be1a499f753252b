import { Check, Entity, Index } from 'typeorm';
import {
  Int,
  Ints,
  Real,
  SafeInteger,
  SafeIntegers,
  Text,
  Timestamp,
  Uuid,
} from '../../platform/database/columns.js';

/** The log of requests; `apiKeyId` is null for those without a key, `chainId` for those that are of no chain. */
@Entity({ name: 'api_requests', synchronize: false })
@Index('api_requests_at_idx', ['at'])
@Index('api_requests_org_idx', ['orgId', 'at'])
export class ApiRequest {
  @Timestamp({ key: true }) readonly at: Date;
  @Text({ key: true }) readonly orgId: string;
  @Uuid({ nullable: true }) readonly apiKeyId: string | null;
  @Text() readonly requestPath: string;
  @Int() readonly responseCode: number;
  @Text({ nullable: true }) readonly chainId: string | null;
  @Int() readonly units: number;
  @Real() readonly durationMs: number;
}

/**
 * Sums of an hour or a day (span) over every combination of the four dimensions; a bit of `grouping` is set for each that is summed up,
 * as Postgres' GROUPING does. Response times as counts per bucket (latency-bucket.ts).
 */
@Entity({ name: 'api_usage', synchronize: false })
@Index('api_usage_cells_idx', { synchronize: false }) // ['orgId', 'span', 'grouping', 'startAt']
@Check('api_usage_span', "span IN ('hour', 'day')")
export class ApiUsage {
  @Text({ key: true }) readonly orgId: string;
  @Text({ key: true }) readonly span: string;
  @Int({ key: true }) readonly grouping: number;
  @Timestamp({ key: true }) readonly startAt: Date;
  @Text({ nullable: true }) readonly requestPath: string | null;
  @Int({ nullable: true }) readonly responseCode: number | null;
  @Text({ nullable: true }) readonly chainId: string | null;
  @Uuid({ nullable: true }) readonly apiKeyId: string | null;
  @SafeInteger() readonly requests: number;
  @SafeInteger() readonly successes: number;
  @SafeInteger() readonly invalid: number;
  @SafeInteger() readonly units: number;
  @SafeInteger() readonly wasted: number;
  @Int() readonly medianBucket: number;
  @Ints() readonly buckets: readonly number[];
  @SafeIntegers() readonly counts: readonly number[];
}

/** Up to where sums are complete. */
@Entity({ name: 'api_usage_progress' })
export class ApiUsageProgress {
  @Text({ key: true }) readonly span: string;
  @Timestamp() readonly rolledUpTo: Date;
}

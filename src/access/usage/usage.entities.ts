import { Check, Entity, Index } from 'typeorm';
import * as Column from '../../platform/database/columns.js';

/**
 * The log of requests; `apiKeyId` is null for those without a key, `chainId` for those that are of no chain. `requests`: 1, but for those
 * that a caller without units has gone on with.
 */
@Entity({ name: 'api_requests', synchronize: false })
@Index('api_requests_at_idx', ['at'])
@Index('api_requests_org_idx', ['orgId', 'at'])
export class ApiRequest {
  @Column.Timestamp({ key: true }) readonly at!: Date;
  @Column.Text({ key: true }) readonly orgId!: string;
  @Column.Uuid({ nullable: true }) readonly apiKeyId!: string | null;
  @Column.Text() readonly requestPath!: string;
  @Column.Int() readonly responseCode!: number;
  @Column.Text({ nullable: true }) readonly chainId!: string | null;
  @Column.Int() readonly units!: number;
  @Column.Real() readonly durationMs!: number;
  @Column.Int({ default: 1 }) readonly requests!: number;
}

/**
 * Sums of an hour or a day (span) over every combination of the four dimensions; a bit of `grouping` is set for each that is summed up,
 * as Postgres' GROUPING does. Response times as counts per bucket (latency-bucket.ts).
 */
@Entity({ name: 'api_usage', synchronize: false })
@Index('api_usage_cells_idx', { synchronize: false }) // ['orgId', 'span', 'grouping', 'startAt']
@Check('api_usage_span', "span IN ('hour', 'day')")
export class ApiUsage {
  @Column.Text({ key: true }) readonly orgId!: string;
  @Column.Text({ key: true }) readonly span!: string;
  @Column.Int({ key: true }) readonly grouping!: number;
  @Column.Timestamp({ key: true }) readonly startAt!: Date;
  @Column.Text({ nullable: true }) readonly requestPath!: string | null;
  @Column.Int({ nullable: true }) readonly responseCode!: number | null;
  @Column.Text({ nullable: true }) readonly chainId!: string | null;
  @Column.Uuid({ nullable: true }) readonly apiKeyId!: string | null;
  @Column.SafeInteger() readonly requests!: number;
  @Column.SafeInteger() readonly successes!: number;
  @Column.SafeInteger() readonly invalid!: number;
  @Column.SafeInteger() readonly units!: number;
  @Column.SafeInteger() readonly wasted!: number;
  @Column.Int() readonly medianBucket!: number;
  @Column.Ints() readonly buckets!: readonly number[];
  @Column.SafeIntegers() readonly counts!: readonly number[];
}

/** Up to where sums are complete. */
@Entity({ name: 'api_usage_progress' })
export class ApiUsageProgress {
  @Column.Text({ key: true }) readonly span!: string;
  @Column.Timestamp() readonly rolledUpTo!: Date;
}

import { Entity } from 'typeorm';
import * as Column from '../../platform/database/columns.js';

/** Of the primary network. */
export interface StakeReach {
  /** 0 to 100. */
  readonly percentage: number;
  readonly validators: number;
  readonly connected: number;
}

/**
 * A process of the service, for the status page. `stake`: by network, how much of the primary network's stake it is connected to.
 * Unlogged: after a crash of Postgres every process reports again within seconds.
 */
@Entity({ name: 'service_processes' })
export class ServiceProcess {
  @Column.Uuid({ key: true }) readonly processId!: string;
  @Column.Flag() readonly isApi!: boolean;
  @Column.Texts() readonly queues!: readonly string[];
  @Column.Text() readonly version!: string;
  @Column.Jsonb() readonly stake!: Readonly<Record<string, StakeReach>>;
  @Column.Timestamp({ default: () => 'now()' }) readonly startedAt!: Date;
  @Column.Timestamp({ default: () => 'now()' }) readonly seenAt!: Date;
}

/** `slot`: UNIX seconds. `bucket`: of the time that the answer took; -32768 for aggregations that failed. Unlogged. */
@Entity({ name: 'aggregation_counts' })
export class AggregationCount {
  @Column.SafeInteger({ key: true }) readonly slot!: number;
  @Column.SmallInt({ key: true }) readonly bucket!: number;
  @Column.SafeInteger() readonly aggregations!: number;
}

/**
 * A minute in which an API process answered. `minute`: its beginning, UNIX seconds. `isUp`: whether it could work. `lagSeconds`: how old
 * the newest block of the slowest index was; null while there is none. Unlogged.
 */
@Entity({ name: 'status_minutes' })
export class StatusMinute {
  @Column.SafeInteger({ key: true }) readonly minute!: number;
  @Column.Flag() readonly isUp!: boolean;
  @Column.Double({ nullable: true }) readonly lagSeconds!: number | null;
}

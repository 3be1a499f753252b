import { Entity } from 'typeorm';
import {
  Flag,
  Jsonb,
  SafeInteger,
  SmallInt,
  Text,
  Texts,
  Timestamp,
  Uuid,
} from '../../platform/database/columns.js';

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
  @Uuid({ key: true }) readonly processId: string;
  @Flag() readonly isApi: boolean;
  @Texts() readonly queues: readonly string[];
  @Text() readonly version: string;
  @Jsonb() readonly stake: Readonly<Record<string, StakeReach>>;
  @Timestamp({ default: () => 'now()' }) readonly startedAt: Date;
  @Timestamp({ default: () => 'now()' }) readonly seenAt: Date;
}

/** `slot`: UNIX seconds. `bucket`: of the time that the answer took; -32768 for aggregations that failed. Unlogged. */
@Entity({ name: 'aggregation_counts' })
export class AggregationCount {
  @SafeInteger({ key: true }) readonly slot: number;
  @SmallInt({ key: true }) readonly bucket: number;
  @SafeInteger() readonly aggregations: number;
}

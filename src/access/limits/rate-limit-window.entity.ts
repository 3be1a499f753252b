import { Entity } from 'typeorm';
import * as Column from '../../platform/database/columns.js';

/**
 * Units that a subject has spent in its newest minute and day, counted since 1970, and how many requests were granted last. `leased`: units
 * that were taken last; `leasedUntil`: up to when some of those may come back, UNIX seconds. Unlogged, so that no request waits for the
 * disk: a crash of Postgres forgives everybody.
 */
@Entity({ name: 'rate_limit_windows' })
export class RateLimitWindow {
  @Column.Text({ key: true }) readonly subject!: string;
  @Column.Int() readonly minute!: number;
  @Column.SafeInteger() readonly minuteUnits!: number;
  @Column.Int() readonly day!: number;
  @Column.SafeInteger() readonly dayUnits!: number;
  @Column.SafeInteger() readonly granted!: number;
  @Column.SafeInteger({ default: 0 }) readonly leased!: number;
  @Column.Double({ default: 0 }) readonly leasedUntil!: number;
}

import { Entity } from 'typeorm';
import { Double, Int, SafeInteger, Text } from '../../platform/database/columns.js';

/**
 * What a subject has spent in its newest minute and day, counted since 1970, and how many requests were granted last. `leased`: units
 * that were taken last; `leasedUntil`: up to when some of those may come back, UNIX seconds. Unlogged, so that no request waits for
 * the disk: a crash of Postgres forgives everybody.
 */
@Entity({ name: 'rate_limit_windows' })
export class RateLimitWindow {
  @Text({ key: true }) readonly subject: string;
  @Int() readonly minute: number;
  @SafeInteger() readonly minuteUnits: number;
  @Int() readonly day: number;
  @SafeInteger() readonly dayUnits: number;
  @SafeInteger() readonly granted: number;
  @SafeInteger({ default: 0 }) readonly leased: number;
  @Double({ default: 0 }) readonly leasedUntil: number;
}

import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type Lease, LEASE_MS } from './leases.js';
import { type Limits, type Spent } from './rate-limit.js';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../platform/time.js';

/** Several requests of one subject that cost the same, or none, to give something back. */
export interface Asked {
  readonly subject: string;
  readonly cost: number;
  readonly count: number;
  readonly limits: Limits;
  /** Units to lease. */
  readonly wanted: number;
  /** The rest of what was taken before. */
  readonly returned: Lease | undefined;
}

/** How many of them are admitted, and what is spent including them and the leased units. */
export interface Granted extends Lease {
  readonly subject: string;
  readonly granted: number;
  /** How long a process may still give units back. */
  readonly heldSeconds: number;
}

/** A lease is at most this part of what is left: near the limit, each request is counted separately. */
const LEASED_PART = 100;
/** Longer than a lease is spent from, so that what is left of it is back by then. */
const HELD_SECONDS = (3 * LEASE_MS) / 1_000;

const NOW = 'extract(epoch FROM clock_timestamp())::float8';
const windowOf = (seconds: number): string => `floor(${NOW} / ${seconds})::int`;
/** Used units of a window after the rest of a lease is returned, if it was taken in that window. */
const usedOf = (window: 'minute' | 'day'): string =>
  `CASE WHEN known.${window} = clock.${window}
        THEN greatest(0, known.${window}_units - CASE WHEN returned_${window} = clock.${window} THEN returned ELSE 0 END)
        ELSE 0 END AS ${window}_units`;

/**
 * One statement for all current requests, under the clock of Postgres, which is read while the subject's row is locked: of two processes
 * the later one is never in an earlier window, and after a clock that was ahead nobody waits until it would be that late. Subjects are in
 * a fixed order, so that two processes never deadlock.
 */
const SPEND = `
WITH asked AS (
  SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::int[], $9::int[])
    AS asked (subject, cost, count, per_minute, per_day, wanted, returned, returned_minute, returned_day)
)
INSERT INTO rate_limit_windows AS known (subject, minute, minute_units, day, day_units, granted, leased, leased_until)
SELECT subject, ${windowOf(MINUTE_SECONDS)}, first.granted * cost, ${windowOf(DAY_SECONDS)}, first.granted * cost, first.granted, 0, 0
  FROM asked CROSS JOIN LATERAL (SELECT least(count, per_minute / cost, per_day / cost) AS granted) AS first
 ORDER BY subject
ON CONFLICT (subject) DO UPDATE SET (minute, minute_units, day, day_units, granted, leased, leased_until) = (
  SELECT clock.minute, used.minute_units + more.units + lease.units, clock.day, used.day_units + more.units + lease.units,
         more.granted, lease.units,
         CASE WHEN lease.units > 0 THEN ${NOW} + ${HELD_SECONDS} ELSE least(known.leased_until, ${NOW} + ${HELD_SECONDS}) END
    FROM asked
   CROSS JOIN LATERAL (
     SELECT ${windowOf(MINUTE_SECONDS)} AS minute, ${windowOf(DAY_SECONDS)} AS day
   ) AS clock
   CROSS JOIN LATERAL (
     SELECT ${usedOf('minute')},
            ${usedOf('day')}
   ) AS used
   CROSS JOIN LATERAL (
     SELECT least(per_minute - used.minute_units, per_day - used.day_units) AS units
   ) AS room
   CROSS JOIN LATERAL (
     SELECT greatest(0, least(count, room.units / cost)) AS granted, cost * greatest(0, least(count, room.units / cost)) AS units
   ) AS more
   CROSS JOIN LATERAL (
     SELECT cost * greatest(0, least(wanted, (room.units - more.units) / ${LEASED_PART}) / cost) AS units
   ) AS lease
   WHERE asked.subject = known.subject
)
RETURNING subject, granted::float8, leased::float8 AS units, minute, minute_units::float8 AS "minuteUnits",
  day, day_units::float8 AS "dayUnits", ${NOW} AS now, greatest(0, leased_until - ${NOW}) AS "heldSeconds"`;

/** Units that callers have spent in all API processes together. */
@Injectable()
export class SpendingRepository {
  constructor(private readonly database: Database) {}

  /** Each subject once. */
  spend(asked: readonly Asked[]): Promise<Granted[]> {
    return this.database.query({
      text: SPEND,
      values: [
        asked.map(({ subject }) => subject),
        asked.map(({ cost }) => cost),
        asked.map(({ count }) => count),
        asked.map(({ limits }) => limits.perMinute),
        asked.map(({ limits }) => limits.perDay),
        asked.map(({ wanted }) => wanted),
        asked.map(({ returned }) => returned?.units ?? 0),
        asked.map(({ returned }) => returned?.minute ?? 0),
        asked.map(({ returned }) => returned?.day ?? 0),
      ],
      onePlan: true,
    });
  }

  /** Units that one has spent in the minute and the day at hand; what processes have leased counts as spent. */
  async find(subject: string): Promise<Spent> {
    const [row] = await this.database.query<Spent>({
      text: `SELECT coalesce(sum(minute_units) FILTER (WHERE minute = ${windowOf(MINUTE_SECONDS)}), 0)::float8 AS "minuteUnits",
                    coalesce(sum(day_units) FILTER (WHERE day = ${windowOf(DAY_SECONDS)}), 0)::float8 AS "dayUnits", ${NOW} AS now
               FROM rate_limit_windows WHERE subject = $1`,
      values: [subject],
    });
    if (row === undefined) throw new Error('a sum has a row');
    return row;
  }

  /** Forgets subjects that have not been heard of since the day before. */
  async removeOld(): Promise<void> {
    await this.database.execute({
      text: `DELETE FROM rate_limit_windows WHERE day < ${windowOf(DAY_SECONDS)} - 1`,
      values: [],
    });
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DAY_SECONDS, type Limits, MINUTE_SECONDS, type Spent } from './rate-limit.js';

/** Several requests of one subject that cost the same. */
export interface Asked {
  readonly subject: string;
  readonly cost: number;
  readonly count: number;
  readonly limits: Limits;
}

/** How many of them may go on, and what is spent with them. */
export interface Granted extends Spent {
  readonly subject: string;
  readonly granted: number;
}

const windowOf = (seconds: number): string =>
  `floor(extract(epoch FROM clock_timestamp()) / ${seconds})::int`;

/**
 * One statement for all that is asked at the moment, under the clock of Postgres. Subjects in one order, so that two processes
 * never wait for each other; windows never go back, whoever's turn comes late.
 */
const SPEND = `
WITH asked AS (
  SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[], $5::bigint[])
    AS asked (subject, cost, count, per_minute, per_day)
)
INSERT INTO rate_limit_windows AS known (subject, minute, minute_units, day, day_units, granted)
SELECT subject, ${windowOf(MINUTE_SECONDS)}, first.granted * cost, ${windowOf(DAY_SECONDS)}, first.granted * cost, first.granted
  FROM asked CROSS JOIN LATERAL (SELECT least(count, per_minute / cost, per_day / cost) AS granted) AS first
 ORDER BY subject
ON CONFLICT (subject) DO UPDATE SET (minute, minute_units, day, day_units, granted) = (
  SELECT clock.minute, used.minute_units + more.granted * cost, clock.day, used.day_units + more.granted * cost, more.granted
    FROM asked
   CROSS JOIN LATERAL (
     SELECT greatest(known.minute, EXCLUDED.minute) AS minute, greatest(known.day, EXCLUDED.day) AS day
   ) AS clock
   CROSS JOIN LATERAL (
     SELECT CASE WHEN known.minute = clock.minute THEN known.minute_units ELSE 0 END AS minute_units,
            CASE WHEN known.day = clock.day THEN known.day_units ELSE 0 END AS day_units
   ) AS used
   CROSS JOIN LATERAL (
     SELECT greatest(0, least(count, (per_minute - used.minute_units) / cost, (per_day - used.day_units) / cost)) AS granted
   ) AS more
   WHERE asked.subject = known.subject
)
RETURNING subject, granted, minute_units::float8 AS "minuteUnits", day_units::float8 AS "dayUnits",
  extract(epoch FROM clock_timestamp())::float8 AS now`;

/** What all API processes together have let callers spend. */
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
      ],
      onePlan: true,
    });
  }

  /** Forgets subjects that have not been heard of since the day before. */
  async removeOld(): Promise<void> {
    await this.database.execute({
      text: `DELETE FROM rate_limit_windows WHERE day < ${windowOf(DAY_SECONDS)} - 1`,
      values: [],
    });
  }
}

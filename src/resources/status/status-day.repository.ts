import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { DAY_SLOT_SECONDS, KEPT_SECONDS } from './process.repository.js';
import { DAY_SECONDS } from '../../platform/time.js';

export const DAY_SLOTS = DAY_SECONDS / DAY_SLOT_SECONDS;

/** By the clock of the database. */
const DAY_SLOT = `floor(extract(epoch FROM now()) / ${DAY_SLOT_SECONDS})::bigint`;
const MINUTE = `floor(extract(epoch FROM now()) / 60)::bigint * 60`;

/** Of a slot that is over; `slotsAgo`: slots between it and the last that is over. */
export interface DayMinutes {
  readonly slotsAgo: number;
  readonly minutesUp: number;
  /** Since the first minute on record. */
  readonly minutes: number;
  readonly lagSeconds: number | null;
}

export interface DayCount {
  readonly slotsAgo: number;
  readonly bucket: number;
  readonly aggregations: number;
}

/** The last day of the status page, for all processes together. */
@Injectable()
export class StatusDayRepository {
  constructor(private readonly database: Database) {}

  /** Of the minute that is going on. It counts as up when any process reports so. */
  async addMinute({ isUp, lagSeconds }: { isUp: boolean; lagSeconds: number | undefined }): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO status_minutes AS known (minute, is_up, lag_seconds) VALUES (${MINUTE}, $1, $2)
        ON CONFLICT (minute) DO UPDATE SET is_up = known.is_up OR EXCLUDED.is_up,
          lag_seconds = greatest(known.lag_seconds, EXCLUDED.lag_seconds)`,
      values: [isUp, lagSeconds ?? null],
    });
    const isOver = `minute < ${MINUTE} - ${KEPT_SECONDS}`;
    await this.database.execute({ text: `DELETE FROM status_minutes WHERE ${isOver}`, values: [] });
  }

  /** Slots before the first minute on record are left out. */
  listMinutes(): Promise<DayMinutes[]> {
    const minute = `(slot * ${DAY_SLOT_SECONDS} + i * 60)`;
    return this.database.query<DayMinutes>({
      text: `WITH first AS (SELECT min(minute) AS minute FROM status_minutes)
        SELECT (${DAY_SLOT} - slot - 1)::int AS "slotsAgo", count(*) FILTER (WHERE m.is_up)::int AS "minutesUp",
               count(*)::int AS minutes, round(max(m.lag_seconds)) AS "lagSeconds"
          FROM generate_series(${DAY_SLOT} - ${DAY_SLOTS}, ${DAY_SLOT} - 1) slot
          CROSS JOIN generate_series(0, ${DAY_SLOT_SECONDS / 60 - 1}) i
          JOIN first ON ${minute} >= first.minute
          LEFT JOIN status_minutes m ON m.minute = ${minute}
         GROUP BY slot`,
      values: [],
    });
  }

  listAggregations(): Promise<DayCount[]> {
    return this.database.query<DayCount>({
      text: `SELECT (${DAY_SLOT} - slot / ${DAY_SLOT_SECONDS} - 1)::int AS "slotsAgo", bucket, sum(aggregations)::float8 AS aggregations
          FROM aggregation_counts
         WHERE slot >= (${DAY_SLOT} - ${DAY_SLOTS}) * ${DAY_SLOT_SECONDS} AND slot < ${DAY_SLOT} * ${DAY_SLOT_SECONDS}
         GROUP BY slot / ${DAY_SLOT_SECONDS}, bucket`,
      values: [],
    });
  }
}

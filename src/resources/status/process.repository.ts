import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

/** Of the primary network. */
export interface StakeReach {
  /** 0 to 100. */
  readonly percentage: number;
  readonly validators: number;
  readonly connected: number;
}

/** What each process says of itself. */
export interface ProcessRecord {
  readonly processId: string;
  readonly isApi: boolean;
  readonly queues: readonly string[];
  readonly version: string;
  /** By network. */
  readonly stake: Readonly<Record<string, StakeReach>>;
}

export interface KnownProcess extends Omit<ProcessRecord, 'processId'> {
  readonly upSeconds: number;
  readonly silentSeconds: number;
}

/** Answers of a slot whose time falls into one bucket. */
export interface AggregationCount {
  /** Slots between this one and the last that is over. */
  readonly slotsAgo: number;
  readonly bucket: number;
  readonly aggregations: number;
}

export const SLOT_SECONDS = 10;
/** A quarter of an hour. */
export const SLOTS = 90;
/** A process that is silent is shown for so long. */
const REMEMBERED = '1 minute';
const MAX_PROCESSES = 100;

/** By the clock of the database, the only one that all processes share. */
const CURRENT_SLOT = `floor(extract(epoch FROM now()) / ${SLOT_SECONDS})::bigint * ${SLOT_SECONDS}`;

/** What processes leave for the status page. */
@Injectable()
export class ProcessRepository {
  constructor(private readonly database: Database) {}

  async save({ processId, isApi, queues, version, stake }: ProcessRecord): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO service_processes (process_id, is_api, queues, version, stake) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (process_id) DO UPDATE SET stake = EXCLUDED.stake, seen_at = now()`,
      values: [processId, isApi, queues, version, JSON.stringify(stake)],
    });
    await this.database.execute({
      text: `DELETE FROM service_processes WHERE seen_at < now() - interval '${REMEMBERED}'`,
      values: [],
    });
  }

  async remove(processId: string): Promise<void> {
    await this.database.execute({
      text: 'DELETE FROM service_processes WHERE process_id = $1',
      values: [processId],
    });
  }

  /** To the slot that is going on. In order, so that processes which add at the same time wait for each other in one direction. */
  async addAggregations(counts: ReadonlyMap<number, number>): Promise<void> {
    if (counts.size === 0) return;
    await this.database.execute({
      text: `INSERT INTO aggregation_counts AS known (slot, bucket, aggregations)
        SELECT ${CURRENT_SLOT}, bucket, count FROM unnest($1::smallint[], $2::bigint[]) AS new (bucket, count) ORDER BY bucket
        ON CONFLICT (slot, bucket) DO UPDATE SET aggregations = known.aggregations + EXCLUDED.aggregations`,
      values: [[...counts.keys()], [...counts.values()]],
    });
    await this.database.execute({
      text: `DELETE FROM aggregation_counts WHERE slot < ${CURRENT_SLOT} - ${SLOT_SECONDS * (SLOTS + 1)}`,
      values: [],
    });
  }

  /** The newest first. */
  list(): Promise<KnownProcess[]> {
    return this.database.query<KnownProcess>({
      text: `SELECT is_api AS "isApi", queues, version, stake,
          extract(epoch FROM now() - started_at)::float8 AS "upSeconds",
          extract(epoch FROM now() - seen_at)::float8 AS "silentSeconds"
        FROM service_processes ORDER BY started_at DESC, process_id LIMIT ${MAX_PROCESSES}`,
      values: [],
    });
  }

  /** Of the slots that are over. */
  async listAggregations(): Promise<AggregationCount[]> {
    const rows = await this.database.query<{ slotsAgo: number; bucket: number; aggregations: string }>({
      text: `SELECT ((${CURRENT_SLOT} - slot) / ${SLOT_SECONDS} - 1)::int AS "slotsAgo", bucket, aggregations
        FROM aggregation_counts
       WHERE slot < ${CURRENT_SLOT} AND slot >= ${CURRENT_SLOT} - ${SLOT_SECONDS * SLOTS}`,
      values: [],
    });
    return rows.map((row) => ({ ...row, aggregations: Number(row.aggregations) }));
  }
}

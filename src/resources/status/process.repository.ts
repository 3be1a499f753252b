import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { AggregationCount, ServiceProcess } from './status.entities.js';
import { DAY_SECONDS } from '../../platform/time.js';

export type ProcessRecord = Omit<ServiceProcess, 'startedAt' | 'seenAt'>;

export interface KnownProcess extends Omit<ProcessRecord, 'processId'> {
  readonly upSeconds: number;
  readonly silentSeconds: number;
}

/** Answers of a slot whose time falls into one bucket. */
export interface SlotCount extends Omit<AggregationCount, 'slot'> {
  /** Slots between this one and the last that is over. */
  readonly slotsAgo: number;
}

export const SLOT_SECONDS = 10;
/** A quarter of an hour. */
export const SLOTS = 90;
/** The status page shows a day, by quarters of an hour. */
export const DAY_SLOT_SECONDS = 900;
/** With the slot that is going on. */
export const KEPT_SECONDS = DAY_SECONDS + DAY_SLOT_SECONDS;
/** A process that is silent is shown for so long. */
const REMEMBERED = '1 minute';
const MAX_PROCESSES = 100;

/** By the clock of the database, the only one that all processes share. */
const CURRENT_SLOT = `floor(extract(epoch FROM now()) / ${SLOT_SECONDS})::bigint * ${SLOT_SECONDS}`;

/** Reports of processes for the status page. */
@Injectable()
export class ProcessRepository {
  constructor(
    @InjectRepository(ServiceProcess) private readonly processes: Repository<ServiceProcess>,
    @InjectRepository(AggregationCount) private readonly counts: Repository<AggregationCount>,
  ) {}

  async save(process: ProcessRecord): Promise<void> {
    await this.processes.upsert({ ...process, seenAt: () => 'now()' }, ['processId']);
    const isSilent = `seenAt < now() - interval '${REMEMBERED}'`;
    await this.processes.createQueryBuilder().delete().where(isSilent).execute();
  }

  async remove(processId: string): Promise<void> {
    await this.processes.delete({ processId });
  }

  /** To the slot that is going on. In order, so that processes which add at the same time wait for each other in one direction. */
  async addAggregations(counts: ReadonlyMap<number, number>): Promise<void> {
    if (counts.size === 0) return;
    await this.counts.query(
      `INSERT INTO aggregation_counts AS known (slot, bucket, aggregations)
        SELECT ${CURRENT_SLOT}, bucket, count FROM unnest($1::smallint[], $2::bigint[]) AS new (bucket, count) ORDER BY bucket
        ON CONFLICT (slot, bucket) DO UPDATE SET aggregations = known.aggregations + EXCLUDED.aggregations`,
      [[...counts.keys()], [...counts.values()]],
    );
    const isOver = `slot < ${CURRENT_SLOT} - ${KEPT_SECONDS}`;
    await this.counts.createQueryBuilder().delete().where(isOver).execute();
  }

  /** The newest first. */
  list(): Promise<KnownProcess[]> {
    return this.processes
      .createQueryBuilder('p')
      .select('p.isApi', 'isApi')
      .addSelect('p.queues', 'queues')
      .addSelect('p.version', 'version')
      .addSelect('p.stake', 'stake')
      .addSelect('extract(epoch FROM now() - p.startedAt)::float8', 'upSeconds')
      .addSelect('extract(epoch FROM now() - p.seenAt)::float8', 'silentSeconds')
      .orderBy({ 'p.startedAt': 'DESC', 'p.processId': 'ASC' })
      .limit(MAX_PROCESSES)
      .getRawMany<KnownProcess>();
  }

  /** Of the slots that are over. */
  listAggregations(): Promise<SlotCount[]> {
    return this.counts
      .createQueryBuilder('c')
      .select(`((${CURRENT_SLOT} - c.slot) / ${SLOT_SECONDS} - 1)::int`, 'slotsAgo')
      .addSelect('c.bucket', 'bucket')
      .addSelect('c.aggregations::float8', 'aggregations')
      .where(`c.slot < ${CURRENT_SLOT} AND c.slot >= ${CURRENT_SLOT} - ${SLOT_SECONDS * SLOTS}`)
      .getRawMany<SlotCount>();
  }
}

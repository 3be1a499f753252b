import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the status page shows of all processes. Unlogged: after a crash of Postgres every process says within seconds again how it is.
 */
export class WatchProcesses1795600000000 implements MigrationInterface {
  readonly name = 'WatchProcesses1795600000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // stake: by network, how much of the primary network's stake this process is connected to.
    await queryRunner.query(`CREATE UNLOGGED TABLE service_processes (
      process_id uuid NOT NULL,
      is_api boolean NOT NULL,
      queues text[] NOT NULL,
      version text NOT NULL,
      stake jsonb NOT NULL,
      started_at timestamptz NOT NULL DEFAULT now(),
      seen_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT service_processes_pk PRIMARY KEY (process_id)
    )`);
    // slot: UNIX seconds. bucket: of the time that the answer took; -1 for aggregations that failed.
    await queryRunner.query(`CREATE UNLOGGED TABLE aggregation_counts (
      slot bigint NOT NULL,
      bucket smallint NOT NULL,
      aggregations bigint NOT NULL,
      CONSTRAINT aggregation_counts_pk PRIMARY KEY (slot, bucket)
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE aggregation_counts');
    await queryRunner.query('DROP TABLE service_processes');
  }
}

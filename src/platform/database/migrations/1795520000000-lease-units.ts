import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Units that a process takes beforehand for who sends many requests. */
export class LeaseUnits1795520000000 implements MigrationInterface {
  readonly name = 'LeaseUnits1795520000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // leased: units that were taken last; leased_until: up to when some of those that were taken may come back, UNIX seconds.
    await queryRunner.query(`ALTER TABLE rate_limit_windows
      ADD COLUMN leased bigint NOT NULL DEFAULT 0,
      ADD COLUMN leased_until double precision NOT NULL DEFAULT 0`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE rate_limit_windows DROP COLUMN leased, DROP COLUMN leased_until');
  }
}

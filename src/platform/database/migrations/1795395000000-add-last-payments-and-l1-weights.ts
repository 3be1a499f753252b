import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a validator that renews itself was last paid, for the list of validators: of payments that were indexed before, only
 * `reindex` finds it. And the weight of a subnet's L1 validators, which is part of what the shares of its validators refer to,
 * without reading those that were removed.
 */
export class AddLastPaymentsAndL1Weights1795395000000 implements MigrationInterface {
  readonly name = 'AddLastPaymentsAndL1Weights1795395000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE validators
         ADD COLUMN auto_renewal_last_payment_tx_id bytea,
         ADD COLUMN auto_renewal_last_payment_time bigint`,
    );
    await queryRunner.query(
      'CREATE INDEX l1_validators_subnet_id_idx ON l1_validators (subnet_id) INCLUDE (weight) WHERE weight > 0',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX l1_validators_subnet_id_idx');
    await queryRunner.query(
      `ALTER TABLE validators
         DROP COLUMN auto_renewal_last_payment_tx_id,
         DROP COLUMN auto_renewal_last_payment_time`,
    );
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A weight is a uint64, a sum of weights may be anything: avalanchego keeps the one of a subnet in a big.Int, and a subnet's
 * owner can add permissioned validators with the largest weight as long as node ids last. Widening rewrites no rows.
 */
export class UnboundSums1795390000000 implements MigrationInterface {
  readonly name = 'UnboundSums1795390000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await changeTypes(queryRunner, 'numeric');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await changeTypes(queryRunner, 'numeric(20)');
  }
}

const SUMS = [
  ['subnet_stakes', 'total_weight'],
  ['validators', 'delegated_weight'],
  ['validators', 'total_delegated_weight'],
  ['validators', 'paid_validation_reward'],
  ['validators', 'paid_delegation_reward'],
] as const;

async function changeTypes(queryRunner: QueryRunner, type: string): Promise<void> {
  for (const [table, column] of SUMS) {
    await queryRunner.query(`ALTER TABLE ${table} ALTER COLUMN ${column} TYPE ${type}`);
  }
}

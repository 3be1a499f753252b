import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Atomic transactions of C-chains: which UTXOs they tell of, so that it can be forgotten, and what they burn. */
export class KeepAtomicTransactions1795470000001 implements MigrationInterface {
  readonly name = 'KeepAtomicTransactions1795470000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    // By place and not by id: early blocks of mainnet repeat transactions. burned: nano-units as text, by asset in hex.
    await queryRunner.query(`CREATE TABLE evm_atomic_transactions (
      chain_key bigint NOT NULL,
      height bigint NOT NULL,
      position int NOT NULL,
      block_time bigint NOT NULL,
      tx_id bytea NOT NULL,
      blockchain_id bytea NOT NULL,
      burned jsonb NOT NULL,
      created bytea[] NOT NULL,
      consumed bytea[] NOT NULL,
      CONSTRAINT evm_atomic_transactions_pk PRIMARY KEY (chain_key, height, position)
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE evm_atomic_transactions');
  }
}

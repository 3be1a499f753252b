import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Logs of watched contracts, set by set, and how far each projection of them has come. They are few, kept also where a chain's
 * blocks are not, and read in the order in which they came (`seq`): no partitions then.
 */
export class KeepWatchedLogs1795420000000 implements MigrationInterface {
  readonly name = 'KeepWatchedLogs1795420000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

/** Nothing wrote to the table of before. */
const UP = [
  'DROP TABLE evm_logs',
  `CREATE TABLE evm_logs (
    chain_key bigint NOT NULL,
    log_set text NOT NULL,
    height bigint NOT NULL,
    log_index int NOT NULL,
    tx_index int NOT NULL,
    block_time bigint NOT NULL,
    tx_hash bytea NOT NULL,
    address bytea NOT NULL,
    topics bytea[] NOT NULL,
    data bytea NOT NULL,
    fee numeric(78) NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    CONSTRAINT evm_logs_pk PRIMARY KEY (chain_key, log_set, height, log_index)
  )`,
  'CREATE INDEX evm_logs_seq_idx ON evm_logs (chain_key, log_set, seq)',
  // seq: of the last log that was put in.
  `CREATE TABLE projection_checkpoints (
    chain_key bigint NOT NULL,
    projection text NOT NULL,
    version int NOT NULL,
    seq bigint NOT NULL,
    CONSTRAINT projection_checkpoints_pk PRIMARY KEY (chain_key, projection)
  )`,
];

const DOWN = [
  `DELETE FROM index_coverage WHERE facet LIKE 'logs:%'`,
  'DROP TABLE projection_checkpoints',
  'DROP TABLE evm_logs',
  `CREATE TABLE evm_logs (
    chain_key bigint NOT NULL,
    height bigint NOT NULL,
    log_index int NOT NULL,
    tx_index int NOT NULL,
    block_time bigint NOT NULL,
    tx_hash bytea NOT NULL,
    address bytea NOT NULL,
    topics bytea[] NOT NULL,
    data bytea NOT NULL,
    fee numeric(78) NOT NULL,
    CONSTRAINT evm_logs_pk PRIMARY KEY (chain_key, height, log_index)
  ) PARTITION BY LIST (chain_key)`,
];

import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSignatures1795230000000 implements MigrationInterface {
  readonly name = 'CreateSignatures1795230000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Verified signatures only. The key is the whole compressed public key: keys P and -P share their x coordinate.
    await queryRunner.query(`
      CREATE TABLE validator_signatures (
        message_id bytea NOT NULL,
        public_key bytea NOT NULL,
        signature  bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT validator_signatures_pk PRIMARY KEY (message_id, public_key),
        CONSTRAINT validator_signatures_lengths CHECK (
          octet_length(message_id) = 32 AND octet_length(public_key) = 48 AND octet_length(signature) = 96
        )
      )
    `);
    // For the removal of signatures past their retention.
    await queryRunner.query(
      'CREATE INDEX validator_signatures_created_at_idx ON validator_signatures (created_at)',
    );
    await queryRunner.query(`
      CREATE TABLE aggregated_signatures (
        network                text NOT NULL,
        request_digest         bytea NOT NULL,
        validator_set_digest   bytea NOT NULL,
        signing_subnet_id      text NOT NULL,
        source_blockchain_id   text NOT NULL,
        p_chain_height         numeric(20) NOT NULL,
        signed_weight          numeric(20) NOT NULL,
        total_weight           numeric(20) NOT NULL,
        signed_message         bytea NOT NULL,
        created_at             timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT aggregated_signatures_pk PRIMARY KEY (network, request_digest),
        CONSTRAINT aggregated_signatures_lengths CHECK (
          octet_length(request_digest) = 32 AND octet_length(validator_set_digest) = 32
        )
      )
    `);
    await queryRunner.query(
      'CREATE INDEX aggregated_signatures_created_at_idx ON aggregated_signatures (created_at)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE aggregated_signatures');
    await queryRunner.query('DROP TABLE validator_signatures');
  }
}

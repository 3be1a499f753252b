import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The transactions of the X-chain; what they do to UTXOs and assets stands with those of all chains. */
export class CreateXChain1795480000000 implements MigrationInterface {
  readonly name = 'CreateXChain1795480000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // block_height is -1 before block 0, and block_time then worked out from the place among all those. burned: nAVAX.
    await queryRunner.query(`CREATE TABLE x_chain_transactions (
      network text NOT NULL,
      tx_id bytea NOT NULL,
      type text NOT NULL,
      block_height bigint NOT NULL,
      block_time bigint NOT NULL,
      burned numeric(20) NOT NULL,
      CONSTRAINT x_chain_transactions_pk PRIMARY KEY (network, tx_id)
    ) PARTITION BY LIST (network)`);
    for (const network of ['mainnet', 'fuji']) {
      await queryRunner.query(
        `CREATE TABLE x_chain_transactions_${network} PARTITION OF x_chain_transactions FOR VALUES IN ('${network}')`,
      );
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE x_chain_transactions');
  }
}

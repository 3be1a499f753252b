import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What nodes said of UTXOs that were exported to a C-chain before the blocks from which its index begins. */
export class CheckEarlierExports1795610000000 implements MigrationInterface {
  readonly name = 'CheckEarlierExports1795610000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // height: the node had executed this block of the C-chain, at least. One row per list, as in utxo_listings; of those that the
    // node does not let be imported only that of the whole chain (the empty address).
    await queryRunner.query(`CREATE TABLE utxo_checks (
      network text NOT NULL,
      utxo_id bytea NOT NULL,
      address bytea NOT NULL,
      height bigint NOT NULL,
      is_spent boolean NOT NULL,
      block_time bigint NOT NULL,
      amount numeric(20) NOT NULL,
      asset_id bytea NOT NULL,
      threshold int NOT NULL,
      owners bytea[],
      CONSTRAINT utxo_checks_pk PRIMARY KEY (network, utxo_id, address)
    )`);
    for (const key of ['block_time', 'amount']) {
      await queryRunner.query(
        `CREATE INDEX utxo_checks_by_${key} ON utxo_checks (network, address, ${key}, utxo_id) WHERE NOT is_spent`,
      );
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE utxo_checks');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** UTXOs of all chains of a network in one table: outputs of the X-chain too, and each chain tells its own side of a crossing. */
export class ShareUtxos1795470000000 implements MigrationInterface {
  readonly name = 'ShareUtxos1795470000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET LOCAL statement_timeout = 0'); // exports are looked for among all UTXOs
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET LOCAL statement_timeout = 0');
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const KINDS = `('mint', 'nft_mint', 'nft_transfer', 'property_mint', 'property_owned')`;

/** In the list of the P-chain. */
const markExports = (isSpent: boolean): string => `
  UPDATE utxo_listings AS listing SET is_spent = ${isSpent} FROM utxos
   WHERE utxos.network = listing.network AND utxos.utxo_id = listing.utxo_id AND listing.chain = 'P'
     AND utxos.spendable_on_chain_id <> decode(repeat('00', 32), 'hex') AND utxos.consuming_tx_id IS NULL`;

const UP = [
  // Of outputs that hold no amount to be transferred: what they are, and of NFTs their group and payload. The amount is empty while
  // only a spender is known that does not name it.
  'ALTER TABLE utxos ALTER COLUMN amount DROP NOT NULL',
  `ALTER TABLE utxos ADD COLUMN output_kind text CONSTRAINT utxos_output_kind CHECK (output_kind IN ${KINDS})`,
  'ALTER TABLE utxos ADD COLUMN group_id bigint',
  'ALTER TABLE utxos ADD COLUMN payload bytea',
  // What has left for another chain cannot be spent where it was created.
  markExports(true),
  // What the X-chain says of its assets; `type` is the kind of what they are made of.
  `CREATE TABLE assets (
    network text NOT NULL,
    asset_id bytea NOT NULL,
    name text NOT NULL,
    symbol text NOT NULL,
    denomination int NOT NULL,
    type text NOT NULL,
    CONSTRAINT assets_pk PRIMARY KEY (network, asset_id),
    CONSTRAINT assets_type CHECK (type IN ('secp256k1', 'nft', 'property'))
  ) PARTITION BY LIST (network)`,
  ...['mainnet', 'fuji'].map(
    (network) => `CREATE TABLE assets_${network} PARTITION OF assets FOR VALUES IN ('${network}')`,
  ),
];

const DOWN = [
  'DROP TABLE assets',
  markExports(false),
  'DELETE FROM utxos WHERE amount IS NULL OR output_kind IS NOT NULL',
  ...['payload', 'group_id', 'output_kind'].map((column) => `ALTER TABLE utxos DROP COLUMN ${column}`),
  'ALTER TABLE utxos ALTER COLUMN amount SET NOT NULL',
];

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The supply of the native asset: the row that is served, and what the P-chain adds up for it. */
export class CreateNativeSupply1795470000002 implements MigrationInterface {
  readonly name = 'CreateNativeSupply1795470000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET LOCAL statement_timeout = 0'); // all UTXOs are added up once
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const P_CHAIN = `decode(repeat('00', 32), 'hex')`;
const OF_NETWORK = `network = c.network AND asset_id = decode(c.state ->> 'avaxAssetId', 'hex')`;

const UP = [
  // nAVAX. spent: what outputs held that were spent, without what was made anew; rewarded: in outputs that reward stakers;
  // burned: fees of transactions.
  `CREATE TABLE p_chain_totals (
    network text NOT NULL,
    spent numeric NOT NULL,
    rewarded numeric NOT NULL,
    burned numeric NOT NULL,
    CONSTRAINT p_chain_totals_pk PRIMARY KEY (network)
  )`,
  // The outputs of the genesis are at height -1.
  `INSERT INTO p_chain_totals (network, spent, rewarded, burned)
   SELECT c.network,
     (SELECT COALESCE(sum(amount), 0) FROM utxos
       WHERE ${OF_NETWORK} AND spendable_on_chain_id = ${P_CHAIN} AND consuming_tx_id IS NOT NULL)
     - (SELECT COALESCE(sum(amount), 0) FROM utxos
       WHERE ${OF_NETWORK} AND created_on_chain_id = ${P_CHAIN} AND reward_type IS NULL AND block_height >= 0),
     (SELECT COALESCE(sum(amount), 0) FROM utxos WHERE ${OF_NETWORK} AND reward_type IS NOT NULL),
     (SELECT COALESCE(sum(burned), 0) FROM p_chain_transactions WHERE network = c.network)
   FROM index_checkpoints c WHERE c.chain = 'p-chain'`,
  // What is locked is looked for among all UTXOs. Spending changes nothing of it, so that rows stay on their page.
  ...['mainnet', 'fuji'].map(
    (
      network,
    ) => `CREATE INDEX utxos_${network}_locktime_idx ON utxos_${network} (stakeable_locktime, owner_locktime)
      WHERE stakeable_locktime IS NOT NULL OR owner_locktime > 0`,
  ),
  // figures: the answer, as its JSON; empty until all of it could be worked out for the first time.
  `CREATE TABLE native_supply (
    network text NOT NULL,
    figures json,
    updated_at timestamptz,
    problem text,
    CONSTRAINT native_supply_pk PRIMARY KEY (network)
  )`,
];

const DOWN = [
  'DROP TABLE native_supply',
  ...['mainnet', 'fuji'].map((network) => `DROP INDEX utxos_${network}_locktime_idx`),
  'DROP TABLE p_chain_totals',
];

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Interchain messages. What a message's source and its destination say of it are rows of their own, written by the projection of
 * that chain alone and joined when they are read: so it does not matter which of them is indexed first, or whether both are.
 */
export class JoinInterchainMessages1795440000000 implements MigrationInterface {
  readonly name = 'JoinInterchainMessages1795440000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(`DROP TABLE ${table}`);
    // Kept, they would say that the tables are filled.
    await queryRunner.query(`DELETE FROM projection_checkpoints WHERE projection = 'interchain-messages'`);
  }
}

const TABLES = [
  'icm_chains',
  'icm_list_version',
  'icm_listings',
  'icm_executions',
  'icm_fees',
  'icm_deliveries',
  'icm_sends',
];

/** By network, as all lists are. */
const partitions = (table: string): string[] =>
  ['mainnet', 'fuji'].map(
    (network) => `CREATE TABLE ${table}_${network} PARTITION OF ${table} FOR VALUES IN ('${network}')`,
  );

/** All that a chain has told, to forget it. */
const chainIndex = (table: string): string => `CREATE INDEX ${table}_chain_key_idx ON ${table} (chain_key)`;

/** chain_key: of the chain that told it, through that contract, at that place. fee: what the transaction paid for its gas. */
const TOLD = `
  network text NOT NULL,
  message_id bytea NOT NULL,
  chain_key bigint NOT NULL,
  contract bytea NOT NULL,
  height bigint NOT NULL,
  log_index int NOT NULL`;

/** receipts: 32 bytes of a nonce and 20 of an address, each. */
const MESSAGE = `
  block_time bigint NOT NULL,
  tx_hash bytea NOT NULL,
  fee numeric(78) NOT NULL,
  source_blockchain_id bytea NOT NULL,
  destination_blockchain_id bytea NOT NULL,
  nonce numeric(78) NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea NOT NULL,
  receipts bytea[] NOT NULL,
  data bytea NOT NULL`;

const UP = [
  // A message's id contains its chains and its contract: there is one row of it, by its source.
  `CREATE TABLE icm_sends (${TOLD}, ${MESSAGE},
    CONSTRAINT icm_sends_pk PRIMARY KEY (network, message_id)
  ) PARTITION BY LIST (network)`,
  ...partitions('icm_sends'),
  chainIndex('icm_sends'),
  `CREATE TABLE icm_deliveries (${TOLD}, ${MESSAGE},
    deliverer bytea NOT NULL,
    reward_redeemer bytea NOT NULL,
    CONSTRAINT icm_deliveries_pk PRIMARY KEY (network, message_id)
  ) PARTITION BY LIST (network)`,
  ...partitions('icm_deliveries'),
  chainIndex('icm_deliveries'),
  // These are told with an id alone, which anybody can say: they count for the message whose chain and contract they have.
  `CREATE TABLE icm_fees (${TOLD},
    token bytea NOT NULL,
    amount numeric(78) NOT NULL,
    is_credited boolean NOT NULL,
    CONSTRAINT icm_fees_pk PRIMARY KEY (network, message_id, chain_key, contract)
  ) PARTITION BY LIST (network)`,
  ...partitions('icm_fees'),
  chainIndex('icm_fees'),
  `CREATE TABLE icm_executions (${TOLD},
    CONSTRAINT icm_executions_pk PRIMARY KEY (network, message_id, chain_key, contract)
  ) PARTITION BY LIST (network)`,
  ...partitions('icm_executions'),
  chainIndex('icm_executions'),
  // Where a message stands in the lists of its sender and its recipient: by the time of its source, and while that is unknown, of
  // its destination. Whoever reads the list page by page reads that of the version in which he began: since_version <= it, and
  // until_version is none or later.
  `CREATE TABLE icm_listings (
    network text NOT NULL,
    address bytea NOT NULL,
    sort_time bigint NOT NULL,
    message_id bytea NOT NULL,
    since_version bigint NOT NULL,
    until_version bigint,
    CONSTRAINT icm_listings_pk PRIMARY KEY (network, address, sort_time, message_id)
  ) PARTITION BY LIST (network)`,
  ...partitions('icm_listings'),
  // The planner is to take every address for one with very many messages, and walk along the index: by the average one, it would
  // fetch all of an address's listings and sort them. Who has few loses nothing.
  ...['mainnet', 'fuji'].map(
    (network) => `ALTER TABLE icm_listings_${network} ALTER COLUMN address SET (n_distinct = 100)`,
  ),
  // EVM chain ids of the chains whose messages were read: a message tells blockchain ids alone.
  `CREATE TABLE icm_chains (
    network text NOT NULL,
    blockchain_id bytea NOT NULL,
    evm_chain_id bigint NOT NULL,
    CONSTRAINT icm_chains_pk PRIMARY KEY (network, blockchain_id)
  )`,
  // One row. Who changes the lists holds it until he commits, so that versions become visible in their order.
  'CREATE TABLE icm_list_version (version bigint NOT NULL) WITH (fillfactor = 10)',
  'INSERT INTO icm_list_version VALUES (0)',
];

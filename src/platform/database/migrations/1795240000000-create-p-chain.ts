import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The P-chain as its blocks make it. Every table of a network's data is partitioned by the network's name.
 *
 * Ids and addresses are bytes (32 and 20), times UNIX seconds, amounts and lock times uint64 as numeric(20). The columns hold the
 * records of src/avalanche/platformvm/state/records.ts field by field, because the index restores its state from these rows;
 * an owner is three columns. Check constraints guard what the API's queries rely on.
 */
export class CreatePChain1795240000000 implements MigrationInterface {
  readonly name = 'CreatePChain1795240000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      ...SERVICE_TABLES,
      ...TRANSACTIONS,
      ...VALIDATORS,
      ...DELEGATORS,
      ...SUBNETS,
      ...L1_VALIDATORS,
      ...UTXOS,
      ...UTXO_LISTINGS,
      ...PLANNING,
    ]) {
      await queryRunner.query(statement);
    }
  }

  /** The extension stays: something else in the database may use it by now. */
  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...TABLES].reverse()) await queryRunner.query(`DROP TABLE ${table}`);
  }
}

const TABLES = [
  'index_checkpoints',
  'index_progress',
  'service_secrets',
  'p_chain_transactions',
  'nodes',
  'validators',
  'delegators',
  'delegator_reward_addresses',
  'subnets',
  'blockchains',
  'l1_validators',
  'subnet_stakes',
  'utxos',
  'utxo_listings',
];

const partitions = (table: string, rest = ''): string[] =>
  ['mainnet', 'fuji'].map(
    (network) =>
      `CREATE TABLE ${table}_${network} PARTITION OF ${table} FOR VALUES IN ('${network}') ${rest}`,
  );

const ownerColumns = (owner: string): string => `
  ${owner}_locktime numeric(20),
  ${owner}_threshold int,
  ${owner}_addresses bytea[]`;

const STAKER_COLUMNS = `
  network text NOT NULL,
  tx_id bytea NOT NULL,
  subnet_id bytea NOT NULL,
  node_id bytea NOT NULL,
  status text NOT NULL,
  weight numeric(20) NOT NULL,
  start_time bigint NOT NULL,
  end_time bigint NOT NULL,
  block_height bigint NOT NULL,
  block_time bigint NOT NULL,
  potential_reward numeric(20) NOT NULL,
  stake_asset_id bytea NOT NULL,
  output_count int NOT NULL,
  stake_output_count int NOT NULL,
  end_tx_id bytea,
  ended_at bigint,
  tx_type text NOT NULL`;

const SERVICE_TABLES = [
  // One row per chain, written in the transaction of the rows it vouches for. state: what is no row of its own, as decimal
  // strings; of the P-chain accruedFees, validatorExcess, genesisId, and what the API reads because a local network may stand
  // behind either name: networkId and avaxAssetId (hex).
  `CREATE TABLE index_checkpoints (
    network text NOT NULL,
    chain text NOT NULL,
    height bigint NOT NULL,
    block_id bytea NOT NULL,
    block_time bigint NOT NULL,
    state jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT index_checkpoints_pk PRIMARY KEY (network, chain)
  )`,
  // What the health answer says about an index; the higher version wins.
  `CREATE TABLE index_progress (
    network text NOT NULL,
    chain text NOT NULL,
    state text NOT NULL,
    height bigint,
    tip_height bigint,
    blocks_per_second double precision,
    eta_seconds bigint,
    message text,
    version bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT index_progress_pk PRIMARY KEY (network, chain),
    CONSTRAINT index_progress_state CHECK (state IN ('running', 'paused', 'stopped', 'waiting'))
  )`,
  // Keys that all API processes share, made by the first that needs one.
  `CREATE TABLE service_secrets (
    name text NOT NULL,
    value bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT service_secrets_pk PRIMARY KEY (name)
  )`,
];

const TRANSACTIONS = [
  `CREATE TABLE p_chain_transactions (
    network text NOT NULL,
    tx_id bytea NOT NULL,
    type text NOT NULL,
    block_height bigint NOT NULL,
    block_time bigint NOT NULL,
    is_committed boolean NOT NULL,
    burned numeric(20) NOT NULL,
    CONSTRAINT p_chain_transactions_pk PRIMARY KEY (network, tx_id)
  ) PARTITION BY LIST (network)`,
  ...partitions('p_chain_transactions'),
];

/**
 * Lists walk one status at a time, in the order of the sort key and then the transaction id, with and without a subnet in front;
 * a list over all statuses merges the four walks. Keys that rows may lack have partial indexes; the rows without the key come
 * after the others, by transaction id.
 */
const VALIDATORS = [
  // Every node that ever validated, for the search by parts of node ids.
  `CREATE TABLE nodes (
    network text NOT NULL,
    node_id bytea NOT NULL,
    node_id_text text NOT NULL,
    CONSTRAINT nodes_pk PRIMARY KEY (network, node_id)
  ) PARTITION BY LIST (network)`,
  ...partitions('nodes'),
  // Without the extension (not shipped, or not allowed to this user) the search reads all nodes, some ten thousands.
  `DO $$
  BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX nodes_node_id_text_idx ON nodes USING gin (node_id_text gin_trgm_ops);
  EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
    RAISE NOTICE 'pg_trgm is not available: %', SQLERRM;
  END
  $$`,
  // delegation_capacity: active and pending permissionless ones only. uptime_performance (percent) and node_version: polled,
  // active ones only. node_id_text: NodeID-…
  `CREATE TABLE validators (
    ${STAKER_COLUMNS},
    is_permissioned boolean NOT NULL,
    signer_public_key bytea,
    signer_proof_of_possession bytea,
    ${ownerColumns('validation_rewards_owner')},
    ${ownerColumns('delegation_rewards_owner')},
    shares int,
    delegatee_reward numeric(20) NOT NULL,
    paid_validation_reward numeric(20) NOT NULL,
    paid_delegation_reward numeric(20) NOT NULL,
    delegated_weight numeric(20) NOT NULL,
    delegator_count int NOT NULL,
    total_delegated_weight numeric(20) NOT NULL,
    total_delegator_count int NOT NULL,
    ${ownerColumns('auto_renewal_authority')},
    auto_renewal_next_period bigint,
    auto_renewal_auto_compound_shares int,
    auto_renewal_accrued_validation_rewards numeric(20),
    auto_renewal_accrued_delegatee_rewards numeric(20),
    node_id_text text NOT NULL,
    delegation_capacity numeric(20),
    uptime_performance double precision,
    node_version text,
    CONSTRAINT validators_pk PRIMARY KEY (network, tx_id),
    CONSTRAINT validators_status CHECK (status IN ('pending', 'active', 'completed', 'removed'))
  ) PARTITION BY LIST (network)`,
  ...partitions('validators'),
  ...['', 'subnet_id, '].flatMap((subnet) => {
    const name = subnet === '' ? 'validators_status' : 'validators_subnet_id_status';
    return [
      // Ends the walks over rows without a sort key.
      `CREATE INDEX ${name}_tx_id_idx ON validators (${subnet}status, tx_id)`,
      `CREATE INDEX ${name}_block_height_idx ON validators (${subnet}status, block_height, tx_id)`,
      `CREATE INDEX ${name}_end_time_idx ON validators (${subnet}status, end_time, tx_id)`,
      ...['shares', 'delegation_capacity', 'uptime_performance'].map(
        (key) =>
          `CREATE INDEX ${name}_${key}_idx ON validators (${subnet}status, ${key}, tx_id) WHERE ${key} IS NOT NULL`,
      ),
    ];
  }),
  'CREATE INDEX validators_node_id_status_block_height_idx ON validators (node_id, status, block_height, tx_id)',
];

const DELEGATORS = [
  `CREATE TABLE delegators (
    ${STAKER_COLUMNS},
    validator_tx_id bytea NOT NULL,
    shares int NOT NULL,
    ${ownerColumns('rewards_owner')},
    paid_reward numeric(20) NOT NULL,
    is_rewarded boolean,
    CONSTRAINT delegators_pk PRIMARY KEY (network, tx_id),
    CONSTRAINT delegators_status CHECK (status IN ('pending', 'active', 'completed', 'removed'))
  ) PARTITION BY LIST (network)`,
  ...partitions('delegators'),
  'CREATE INDEX delegators_status_start_time_idx ON delegators (status, start_time, tx_id)',
  'CREATE INDEX delegators_node_id_status_start_time_idx ON delegators (node_id, status, start_time, tx_id)',
  // What a running validation may still earn by its delegations.
  `CREATE INDEX delegators_validator_tx_id_idx ON delegators (validator_tx_id) INCLUDE (potential_reward, shares)
     WHERE status IN ('pending', 'active')`,
  // One row per delegation and address of its rewards' owner, with what the list filters and sorts by; status, start_time and
  // node_id are those of the delegation and are written whenever it is.
  `CREATE TABLE delegator_reward_addresses (
    network text NOT NULL,
    tx_id bytea NOT NULL,
    address bytea NOT NULL,
    status text NOT NULL,
    start_time bigint NOT NULL,
    node_id bytea NOT NULL,
    CONSTRAINT delegator_reward_addresses_pk PRIMARY KEY (network, tx_id, address)
  ) PARTITION BY LIST (network)`,
  ...partitions('delegator_reward_addresses'),
  `CREATE INDEX delegator_reward_addresses_list_idx
     ON delegator_reward_addresses (address, status, start_time, tx_id) INCLUDE (node_id)`,
];

const SUBNETS = [
  `CREATE TABLE subnets (
    network text NOT NULL,
    subnet_id bytea NOT NULL,
    block_height bigint NOT NULL,
    block_time bigint NOT NULL,
    ${ownerColumns('owner')},
    transformation_tx_id bytea,
    transformation_asset_id bytea,
    transformation_maximum_supply numeric(20),
    transformation_min_consumption_rate numeric(20),
    transformation_max_consumption_rate numeric(20),
    transformation_max_validator_stake numeric(20),
    transformation_max_validator_weight_factor int,
    conversion_tx_id bytea,
    conversion_id bytea,
    conversion_manager_chain_id bytea,
    conversion_manager_address bytea,
    CONSTRAINT subnets_pk PRIMARY KEY (network, subnet_id)
  ) PARTITION BY LIST (network)`,
  ...partitions('subnets'),
  'CREATE INDEX subnets_block_height_idx ON subnets (block_height, subnet_id)',
  // genesis: the specification's genesisData as its JSON text. Not jsonb: the API copies the text into its answers as it is,
  // with integers beyond 2^53, and Postgres knows a text's length without reading it.
  `CREATE TABLE blockchains (
    network text NOT NULL,
    blockchain_id bytea NOT NULL,
    subnet_id bytea NOT NULL,
    name text NOT NULL,
    vm_id bytea NOT NULL,
    fx_ids bytea[] NOT NULL,
    genesis_data bytea NOT NULL,
    block_height bigint,
    block_time bigint NOT NULL,
    genesis text,
    evm_chain_id numeric,
    CONSTRAINT blockchains_pk PRIMARY KEY (network, blockchain_id)
  ) PARTITION BY LIST (network)`,
  ...partitions('blockchains'),
  'CREATE INDEX blockchains_subnet_id_idx ON blockchains (subnet_id, block_height, blockchain_id)',
  `CREATE TABLE subnet_stakes (
    network text NOT NULL,
    subnet_id bytea NOT NULL,
    supply numeric(20),
    total_weight numeric(20) NOT NULL,
    CONSTRAINT subnet_stakes_pk PRIMARY KEY (network, subnet_id)
  ) PARTITION BY LIST (network)`,
  ...partitions('subnet_stakes'),
];

const L1_VALIDATORS = [
  `CREATE TABLE l1_validators (
    network text NOT NULL,
    validation_id bytea NOT NULL,
    subnet_id bytea NOT NULL,
    node_id bytea NOT NULL,
    public_key bytea NOT NULL,
    remaining_balance_owner_threshold int NOT NULL,
    remaining_balance_owner_addresses bytea[] NOT NULL,
    deactivation_owner_threshold int NOT NULL,
    deactivation_owner_addresses bytea[] NOT NULL,
    start_time bigint NOT NULL,
    weight numeric(20) NOT NULL,
    min_nonce numeric(20) NOT NULL,
    end_accumulated_fee numeric(20) NOT NULL,
    tx_id bytea NOT NULL,
    CONSTRAINT l1_validators_pk PRIMARY KEY (network, validation_id)
  ) PARTITION BY LIST (network)`,
  ...partitions('l1_validators'),
];

const UTXOS = [
  // The creation's columns are empty while only the consumption is known (an import whose source chain is not indexed), the
  // consumption's while unspent. created_on_chain_id is known to both. Pages have room left for one later update of their
  // rows: no index covers what it changes, so it stays on its page and touches no index.
  `CREATE TABLE utxos (
    network text NOT NULL,
    utxo_id bytea NOT NULL,
    tx_id bytea NOT NULL,
    output_index bigint NOT NULL,
    asset_id bytea NOT NULL,
    amount numeric(20) NOT NULL,
    created_on_chain_id bytea NOT NULL,
    spendable_on_chain_id bytea NOT NULL,
    block_height bigint,
    block_time bigint,
    stakeable_locktime numeric(20),
    ${ownerColumns('owner')},
    is_stake_output boolean NOT NULL DEFAULT false,
    staked boolean NOT NULL DEFAULT false,
    stake_start bigint,
    stake_end bigint,
    reward_type text,
    consuming_tx_id bytea,
    consuming_block_height bigint,
    consuming_block_time bigint,
    CONSTRAINT utxos_pk PRIMARY KEY (network, utxo_id)
  ) PARTITION BY LIST (network)`,
  ...partitions('utxos', 'WITH (fillfactor = 85)'),
];

/** Says how many values a column has, whatever there are; counts from the next ANALYZE on. */
const assumeDistinct = (partition: string, column: string, count: number): string =>
  `ALTER TABLE ${partition} ALTER COLUMN ${column} SET (n_distinct = ${count})`;

const CHAINS = ['P', 'X', 'C'];

const UTXO_LISTINGS = [
  // One row per list that a UTXO stands in: the chain it was created on and, if another, the chain it can be spent on; times its
  // owner's addresses and the empty address, which is the list of the whole chain. Only UTXOs whose creation is known are here.
  // The chain is a letter (P, X, C) and a partition, so that no index repeats its 32 bytes. owners: only with a threshold above
  // 1. No unique key: the index over the time finds a row again by what the UTXO itself says (chain, address, is_spent,
  // block_time, utxo_id), and one index less is a third of the writing.
  `CREATE TABLE utxo_listings (
    network text NOT NULL,
    chain text NOT NULL,
    address bytea NOT NULL,
    is_spent boolean NOT NULL,
    block_time bigint NOT NULL,
    amount numeric(20) NOT NULL,
    utxo_id bytea NOT NULL,
    asset_id bytea NOT NULL,
    threshold int NOT NULL,
    owners bytea[]
  ) PARTITION BY LIST (network)`,
  ...partitions('utxo_listings', 'PARTITION BY LIST (chain)'),
  ...['mainnet', 'fuji'].flatMap((network) =>
    CHAINS.map(
      (chain) =>
        `CREATE TABLE utxo_listings_${network}_${chain.toLowerCase()} PARTITION OF utxo_listings_${network} FOR VALUES IN ('${chain}')`,
    ),
  ),
  'CREATE INDEX utxo_listings_block_time_idx ON utxo_listings (address, is_spent, block_time, utxo_id)',
  'CREATE INDEX utxo_listings_amount_idx ON utxo_listings (address, is_spent, amount, utxo_id)',
  // The filter by asset exists on the X-chain only.
  ...['mainnet', 'fuji'].flatMap((network) => [
    `CREATE INDEX utxo_listings_${network}_x_asset_id_block_time_idx
       ON utxo_listings_${network}_x (asset_id, address, is_spent, block_time, utxo_id)`,
    `CREATE INDEX utxo_listings_${network}_x_asset_id_amount_idx
       ON utxo_listings_${network}_x (asset_id, address, is_spent, amount, utxo_id)`,
  ]),
];

// Owners and nodes have a few rows on average, and some a million. The lists walk an index of one owner in the order of the page,
// which costs nothing more for a million. Planned for the average, Postgres might as well take all of an owner's rows and
// sort them; planned for many, it never does.
const PLANNING = ['mainnet', 'fuji'].flatMap((network) => [
  ...CHAINS.map((chain) => assumeDistinct(`utxo_listings_${network}_${chain.toLowerCase()}`, 'address', 20)),
  assumeDistinct(`delegator_reward_addresses_${network}`, 'address', 20),
  assumeDistinct(`delegators_${network}`, 'node_id', 20),
]);

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { PUBLIC_NETWORKS } from '../../config/network-names.js';
import { networkPartitions } from '../network-partitions.js';

/**
 * All tables. The entities describe them and their columns, and a test compares both; what an entity cannot express is here alone:
 * partitions, how full pages are, what is not logged, and what the planner is to assume.
 */
export class CreateSchema1795700000000 implements MigrationInterface {
  readonly name = 'CreateSchema1795700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of SCHEMA) await queryRunner.query(statement);
  }

  /** The extension stays: something else in the database may use it by now. */
  async down(queryRunner: QueryRunner): Promise<void> {
    const tables = SCHEMA.flatMap(
      (statement) => /^CREATE (?:UNLOGGED )?TABLE (\w+) \(/.exec(statement)?.[1] ?? [],
    );
    await queryRunner.query(`DROP TABLE ${tables.join(', ')}`);
    await queryRunner.query('DROP FUNCTION cb58');
  }
}

const SERVICE = [
  `CREATE TABLE service_secrets (
    name text NOT NULL, version int NOT NULL, value bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT service_secrets_pk PRIMARY KEY (name, version)
  )`,
  `CREATE TABLE index_checkpoints (
    network text NOT NULL, chain text NOT NULL, height bigint NOT NULL, block_id bytea NOT NULL,
    block_time bigint NOT NULL, state jsonb NOT NULL, updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT index_checkpoints_pk PRIMARY KEY (network, chain)
  )`,
  `CREATE TABLE index_progress (
    network text NOT NULL, chain text NOT NULL, state text NOT NULL, height bigint, tip_height bigint,
    blocks_per_second double precision, eta_seconds bigint, source text, message text, version bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(), tip_seen_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT index_progress_pk PRIMARY KEY (network, chain),
    CONSTRAINT index_progress_state CHECK (state IN ('running', 'paused', 'stopped', 'waiting'))
  )`,
  `CREATE TABLE index_coverage (
    network text NOT NULL, chain text NOT NULL, facet text NOT NULL, from_height bigint NOT NULL,
    to_height bigint NOT NULL, status text NOT NULL, version int NOT NULL,
    checked_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT index_coverage_pk PRIMARY KEY (network, chain, facet, from_height),
    CONSTRAINT index_coverage_heights CHECK (from_height <= to_height),
    CONSTRAINT index_coverage_status CHECK (status IN ('complete', 'unavailable', 'dropped'))
  ) WITH (fillfactor = 50)`,
];

const P_CHAIN = [
  `CREATE TABLE p_chain_transactions (
    network text NOT NULL, tx_id bytea NOT NULL, type text NOT NULL, block_height bigint NOT NULL,
    block_time bigint NOT NULL, is_committed boolean NOT NULL, burned numeric(20) NOT NULL,
    avax_spent numeric(20) NOT NULL, l1_transaction bytea,
    CONSTRAINT p_chain_transactions_pk PRIMARY KEY (network, tx_id)
  ) PARTITION BY LIST (network)`,
  `CREATE TABLE p_chain_totals (
    network text NOT NULL, spent numeric NOT NULL, rewarded numeric NOT NULL, burned numeric NOT NULL,
    CONSTRAINT p_chain_totals_pk PRIMARY KEY (network)
  )`,
  `CREATE TABLE nodes (
    network text NOT NULL, node_id bytea NOT NULL, node_id_text text NOT NULL,
    CONSTRAINT nodes_pk PRIMARY KEY (network, node_id)
  ) PARTITION BY LIST (network)`,
  // Without the extension (not shipped, or not allowed to this user) the search reads all nodes, some ten thousands.
  `DO $$
  BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX nodes_node_id_text_idx ON nodes USING gin (node_id_text gin_trgm_ops);
  EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
    RAISE NOTICE 'pg_trgm is not available: %', SQLERRM;
  END
  $$`,
  `CREATE TABLE validators (
    network text NOT NULL, tx_id bytea NOT NULL, subnet_id bytea NOT NULL, node_id bytea NOT NULL,
    status text NOT NULL, weight numeric(20) NOT NULL, start_time bigint NOT NULL, end_time bigint NOT NULL,
    block_height bigint NOT NULL, block_time bigint NOT NULL, potential_reward numeric(20) NOT NULL,
    stake_asset_id bytea NOT NULL, output_count int NOT NULL, stake_output_count int NOT NULL,
    end_tx_id bytea, ended_at bigint, tx_type text NOT NULL, is_permissioned boolean NOT NULL,
    signer_public_key bytea, signer_proof_of_possession bytea, validation_rewards_owner_locktime numeric(20),
    validation_rewards_owner_threshold int, validation_rewards_owner_addresses bytea[],
    delegation_rewards_owner_locktime numeric(20), delegation_rewards_owner_threshold int,
    delegation_rewards_owner_addresses bytea[], shares int, delegatee_reward numeric(20) NOT NULL,
    paid_validation_reward numeric NOT NULL, paid_delegation_reward numeric NOT NULL,
    delegated_weight numeric NOT NULL, delegator_count int NOT NULL, total_delegated_weight numeric NOT NULL,
    total_delegator_count int NOT NULL, auto_renewal_authority_locktime numeric(20),
    auto_renewal_authority_threshold int, auto_renewal_authority_addresses bytea[],
    auto_renewal_next_period bigint, auto_renewal_auto_compound_shares int,
    auto_renewal_accrued_validation_rewards numeric(20), auto_renewal_accrued_delegatee_rewards numeric(20),
    node_id_text text NOT NULL, delegation_capacity numeric(20), uptime_performance double precision,
    auto_renewal_cycle_index int, auto_renewal_earlier_delegator_count int,
    auto_renewal_earlier_delegated_weight numeric, auto_renewal_is_aborted boolean,
    CONSTRAINT validators_pk PRIMARY KEY (network, tx_id),
    CONSTRAINT validators_status CHECK (status IN ('pending', 'active', 'completed', 'removed'))
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX validators_node_id_status_block_height_idx ON validators (node_id, status, block_height, tx_id)',
  'CREATE INDEX validators_status_block_height_idx ON validators (status, block_height, tx_id)',
  'CREATE INDEX validators_status_delegation_capacity_idx ON validators (status, delegation_capacity, tx_id) WHERE delegation_capacity IS NOT NULL',
  'CREATE INDEX validators_status_end_time_idx ON validators (status, end_time, tx_id)',
  'CREATE INDEX validators_status_shares_idx ON validators (status, shares, tx_id) WHERE shares IS NOT NULL',
  'CREATE INDEX validators_status_tx_id_idx ON validators (status, tx_id)',
  'CREATE INDEX validators_status_uptime_performance_idx ON validators (status, uptime_performance, tx_id) WHERE uptime_performance IS NOT NULL',
  'CREATE INDEX validators_subnet_id_status_block_height_idx ON validators (subnet_id, status, block_height, tx_id)',
  'CREATE INDEX validators_subnet_id_status_delegation_capacity_idx ON validators (subnet_id, status, delegation_capacity, tx_id) WHERE delegation_capacity IS NOT NULL',
  'CREATE INDEX validators_subnet_id_status_end_time_idx ON validators (subnet_id, status, end_time, tx_id)',
  'CREATE INDEX validators_subnet_id_status_shares_idx ON validators (subnet_id, status, shares, tx_id) WHERE shares IS NOT NULL',
  'CREATE INDEX validators_subnet_id_status_tx_id_idx ON validators (subnet_id, status, tx_id)',
  'CREATE INDEX validators_subnet_id_status_uptime_performance_idx ON validators (subnet_id, status, uptime_performance, tx_id) WHERE uptime_performance IS NOT NULL',
  `CREATE TABLE validation_cycles (
    network text NOT NULL, tx_id bytea NOT NULL, cycle_index int NOT NULL, node_id bytea NOT NULL,
    reward_tx_id bytea NOT NULL, start_time bigint NOT NULL, end_time bigint NOT NULL, weight numeric(20) NOT NULL,
    auto_compound_shares int NOT NULL, outcome text NOT NULL, withdrawn_validation_reward numeric(20) NOT NULL,
    compounded_validation_reward numeric(20) NOT NULL, withdrawn_delegatee_reward numeric(20) NOT NULL,
    compounded_delegatee_reward numeric(20) NOT NULL, delegator_count int NOT NULL, delegated_weight numeric NOT NULL,
    CONSTRAINT validation_cycles_pk PRIMARY KEY (network, tx_id, cycle_index),
    CONSTRAINT validation_cycles_outcome CHECK (outcome IN ('renewed', 'exited', 'aborted'))
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX validation_cycles_node_id_start_time_idx ON validation_cycles (node_id, start_time, tx_id)',
  'CREATE INDEX validation_cycles_reward_tx_id_idx ON validation_cycles (reward_tx_id)',
  `CREATE TABLE delegators (
    network text NOT NULL, tx_id bytea NOT NULL, subnet_id bytea NOT NULL, node_id bytea NOT NULL,
    status text NOT NULL, weight numeric(20) NOT NULL, start_time bigint NOT NULL, end_time bigint NOT NULL,
    block_height bigint NOT NULL, block_time bigint NOT NULL, potential_reward numeric(20) NOT NULL,
    stake_asset_id bytea NOT NULL, output_count int NOT NULL, stake_output_count int NOT NULL,
    end_tx_id bytea, ended_at bigint, tx_type text NOT NULL, validator_tx_id bytea NOT NULL,
    shares int NOT NULL, validator_part numeric(20) NOT NULL,
    rewards_owner_locktime numeric(20), rewards_owner_threshold int,
    rewards_owner_addresses bytea[], paid_reward numeric(20) NOT NULL, is_rewarded boolean,
    CONSTRAINT delegators_pk PRIMARY KEY (network, tx_id),
    CONSTRAINT delegators_status CHECK (status IN ('pending', 'active', 'completed', 'removed'))
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX delegators_node_id_status_start_time_idx ON delegators (node_id, status, start_time, tx_id)',
  'CREATE INDEX delegators_status_start_time_idx ON delegators (status, start_time, tx_id)',
  `CREATE INDEX delegators_validator_tx_id_idx ON delegators (validator_tx_id) INCLUDE (validator_part) WHERE status IN ('pending', 'active')`,
  `CREATE TABLE delegator_reward_addresses (
    network text NOT NULL, tx_id bytea NOT NULL, address bytea NOT NULL, status text NOT NULL,
    start_time bigint NOT NULL, node_id bytea NOT NULL,
    CONSTRAINT delegator_reward_addresses_pk PRIMARY KEY (network, tx_id, address)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX delegator_reward_addresses_list_idx ON delegator_reward_addresses (address, status, start_time, tx_id) INCLUDE (node_id)',
  `CREATE TABLE staking_transactions (
    network text NOT NULL, tx_id bytea NOT NULL, tx_type text NOT NULL, block_id bytea NOT NULL,
    block_height bigint NOT NULL, block_time bigint NOT NULL, unsigned bytea NOT NULL, addresses bytea[] NOT NULL,
    CONSTRAINT staking_transactions_pk PRIMARY KEY (network, tx_id)
  ) PARTITION BY LIST (network)`,
  `CREATE TABLE staking_listings (
    network text NOT NULL, address bytea NOT NULL, tx_type text NOT NULL, block_time bigint NOT NULL,
    tx_id bytea NOT NULL,
    CONSTRAINT staking_listings_pk PRIMARY KEY (network, address, tx_type, block_time, tx_id)
  ) PARTITION BY LIST (network)`,
  `CREATE TABLE subnets (
    network text NOT NULL, subnet_id bytea NOT NULL, block_height bigint NOT NULL,
    block_time bigint NOT NULL, owner_locktime numeric(20), owner_threshold int, owner_addresses bytea[],
    transformation_tx_id bytea, transformation_asset_id bytea, transformation_maximum_supply numeric(20),
    transformation_min_consumption_rate numeric(20), transformation_max_consumption_rate numeric(20),
    transformation_max_validator_stake numeric(20), transformation_max_validator_weight_factor int,
    conversion_tx_id bytea, conversion_id bytea, conversion_manager_chain_id bytea,
    conversion_manager_address bytea,
    CONSTRAINT subnets_pk PRIMARY KEY (network, subnet_id)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX subnets_block_height_idx ON subnets (block_height, subnet_id)',
  `CREATE TABLE blockchains (
    network text NOT NULL, blockchain_id bytea NOT NULL, subnet_id bytea NOT NULL, name text NOT NULL,
    vm_id bytea NOT NULL, fx_ids bytea[] NOT NULL, genesis_data bytea NOT NULL, block_height bigint NOT NULL,
    block_time bigint NOT NULL, genesis text, evm_chain_id numeric,
    CONSTRAINT blockchains_pk PRIMARY KEY (network, blockchain_id)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX blockchains_block_height_idx ON blockchains (block_height, blockchain_id)',
  'CREATE INDEX blockchains_subnet_id_idx ON blockchains (subnet_id, block_height, blockchain_id)',
  `CREATE TABLE subnet_stakes (
    network text NOT NULL, subnet_id bytea NOT NULL, supply numeric(20), total_weight numeric NOT NULL,
    CONSTRAINT subnet_stakes_pk PRIMARY KEY (network, subnet_id)
  ) PARTITION BY LIST (network)`,
  `CREATE TABLE l1_validators (
    network text NOT NULL, validation_id bytea NOT NULL, subnet_id bytea NOT NULL, node_id bytea NOT NULL,
    public_key bytea NOT NULL, proof_of_possession bytea NOT NULL, remaining_balance_owner_threshold int NOT NULL,
    remaining_balance_owner_addresses bytea[] NOT NULL, deactivation_owner_threshold int NOT NULL,
    deactivation_owner_addresses bytea[] NOT NULL, start_time bigint NOT NULL, weight numeric(20) NOT NULL,
    min_nonce numeric(20) NOT NULL, end_accumulated_fee numeric(20) NOT NULL, tx_id bytea NOT NULL,
    CONSTRAINT l1_validators_pk PRIMARY KEY (network, validation_id)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX l1_validators_subnet_id_idx ON l1_validators (subnet_id) INCLUDE (weight) WHERE weight > 0',
  'CREATE INDEX l1_validators_active_idx ON l1_validators (start_time, validation_id) WHERE weight > 0 AND end_accumulated_fee > 0',
  'CREATE INDEX l1_validators_node_id_start_time_idx ON l1_validators (node_id, start_time, validation_id)',
  'CREATE INDEX l1_validators_start_time_idx ON l1_validators (start_time, validation_id)',
  'CREATE INDEX l1_validators_subnet_id_start_time_idx ON l1_validators (subnet_id, start_time, validation_id)',
  `CREATE TABLE validator_set_members (
    network text NOT NULL, subnet_id bytea NOT NULL, member_id bytea NOT NULL, from_height bigint NOT NULL,
    until_height bigint NOT NULL, node_id bytea, public_key bytea, weight numeric(20) NOT NULL,
    CONSTRAINT validator_set_members_pk PRIMARY KEY (network, subnet_id, member_id, from_height)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX validator_set_members_until_height_idx ON validator_set_members (subnet_id, until_height)',
  // Changes by block.
  'CREATE INDEX validator_set_members_begun_idx ON validator_set_members (from_height)',
  'CREATE INDEX validator_set_members_ended_idx ON validator_set_members (until_height)',
  `CREATE TABLE node_observations (
    network text NOT NULL, node_id bytea NOT NULL, observer text NOT NULL, hour int NOT NULL,
    looks int NOT NULL, connected int NOT NULL, benched_p int NOT NULL, benched_x int NOT NULL,
    benched_c int NOT NULL,
    CONSTRAINT node_observations_pk PRIMARY KEY (network, node_id, observer, hour)
  ) WITH (fillfactor = 50)`,
  `CREATE TABLE observed_nodes (
    network text NOT NULL, node_id bytea NOT NULL, reachability_percent double precision NOT NULL,
    benched_p_percent double precision NOT NULL, benched_x_percent double precision NOT NULL,
    benched_c_percent double precision NOT NULL, version text, city text, country_code text,
    latitude double precision, longitude double precision,
    CONSTRAINT observed_nodes_pk PRIMARY KEY (network, node_id)
  ) WITH (fillfactor = 50)`,
];

const UTXOS = [
  `CREATE TABLE utxos (
    network text NOT NULL, utxo_id bytea NOT NULL, tx_id bytea NOT NULL, output_index bigint NOT NULL,
    asset_id bytea NOT NULL, amount numeric(20), created_on_chain_id bytea NOT NULL,
    spendable_on_chain_id bytea NOT NULL, block_height bigint, block_time bigint,
    stakeable_locktime numeric(20), owner_locktime numeric(20), owner_threshold int, owner_addresses bytea[],
    is_stake_output boolean NOT NULL DEFAULT false, staked boolean NOT NULL DEFAULT false,
    stake_start bigint, stake_end bigint, reward_type text, consuming_tx_id bytea,
    consuming_block_height bigint, consuming_block_time bigint, output_kind text, group_id bigint,
    payload bytea,
    CONSTRAINT utxos_pk PRIMARY KEY (network, utxo_id),
    CONSTRAINT utxos_output_kind CHECK (output_kind IN ('mint', 'nft_mint', 'nft_transfer', 'property_mint', 'property_owned'))
  ) PARTITION BY LIST (network)`,
  `CREATE TABLE utxo_listings (
    network text NOT NULL, chain text NOT NULL, address bytea NOT NULL, is_spent boolean NOT NULL,
    block_time bigint NOT NULL, amount numeric(20) NOT NULL, utxo_id bytea NOT NULL, asset_id bytea NOT NULL,
    threshold int NOT NULL, is_reward boolean NOT NULL DEFAULT false, spent_height bigint
  ) PARTITION BY LIST (network)`,
  `CREATE TABLE utxo_checks (
    network text NOT NULL, utxo_id bytea NOT NULL, address bytea NOT NULL, height bigint NOT NULL,
    is_spent boolean NOT NULL, block_time bigint NOT NULL, amount numeric(20) NOT NULL,
    asset_id bytea NOT NULL, threshold int NOT NULL,
    CONSTRAINT utxo_checks_pk PRIMARY KEY (network, utxo_id, address)
  )`,
  'CREATE INDEX utxo_checks_by_amount ON utxo_checks (network, address, amount, utxo_id) WHERE NOT is_spent',
  'CREATE INDEX utxo_checks_by_block_time ON utxo_checks (network, address, block_time, utxo_id) WHERE NOT is_spent',
  `CREATE TABLE assets (
    network text NOT NULL, asset_id bytea NOT NULL, name text NOT NULL, symbol text NOT NULL,
    denomination int NOT NULL,
    CONSTRAINT assets_pk PRIMARY KEY (network, asset_id)
  ) PARTITION BY LIST (network)`,
  `CREATE TABLE x_chain_transactions (
    network text NOT NULL, tx_id bytea NOT NULL, type text NOT NULL, block_height bigint NOT NULL,
    block_time bigint NOT NULL, burned numeric(20) NOT NULL, avax_spent numeric(20) NOT NULL,
    CONSTRAINT x_chain_transactions_pk PRIMARY KEY (network, tx_id)
  ) PARTITION BY LIST (network)`,
  `CREATE TABLE x_chain_totals (
    network text NOT NULL, burned numeric NOT NULL,
    CONSTRAINT x_chain_totals_pk PRIMARY KEY (network)
  )`,
  `CREATE TABLE x_chain_vertices (
    network text NOT NULL, vertex_id bytea NOT NULL, height numeric(20), bytes bytea,
    CONSTRAINT x_chain_vertices_pk PRIMARY KEY (network, vertex_id)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX x_chain_vertices_height_idx ON x_chain_vertices (height, vertex_id)',
  'CREATE INDEX x_chain_vertices_wanted_idx ON x_chain_vertices (vertex_id) WHERE bytes IS NULL',
];

const EVM = [
  `CREATE TABLE evm_blocks (
    chain_key bigint NOT NULL, height bigint NOT NULL, hash bytea NOT NULL, block_time bigint NOT NULL,
    needs_trace boolean NOT NULL,
    CONSTRAINT evm_blocks_pk PRIMARY KEY (chain_key, height)
  ) PARTITION BY LIST (chain_key)`,
  'CREATE INDEX evm_blocks_block_time_idx ON evm_blocks (block_time, height)',
  `CREATE TABLE evm_transactions (
    chain_key bigint NOT NULL, height bigint NOT NULL, tx_index int NOT NULL, is_creation boolean NOT NULL,
    is_success boolean NOT NULL, block_time bigint NOT NULL, tx_hash bytea NOT NULL, from_address bytea NOT NULL,
    to_address bytea, value numeric(78) NOT NULL, fee numeric(78) NOT NULL, fee_recipient bytea, method_id bytea
  ) PARTITION BY LIST (chain_key)`,
  `CREATE TABLE evm_transfers (
    chain_key bigint NOT NULL, height bigint NOT NULL, position int NOT NULL, tx_index int NOT NULL,
    block_time bigint NOT NULL, log_index int, batch_index int, tx_hash bytea, kind text NOT NULL,
    from_address bytea NOT NULL, to_address bytea NOT NULL, contract bytea, token_id numeric(78),
    amount numeric(78) NOT NULL, method_id bytea,
    CONSTRAINT evm_transfers_kind CHECK (kind IN ('ERC20', 'ERC721', 'ERC1155', 'MINT'))
  ) PARTITION BY LIST (chain_key)`,
  `CREATE TABLE evm_internal_transfers (
    chain_key bigint NOT NULL, height bigint NOT NULL, position int NOT NULL, tx_index int NOT NULL,
    block_time bigint NOT NULL, tx_hash bytea NOT NULL, kind text NOT NULL, trace_path text NOT NULL,
    from_address bytea NOT NULL, to_address bytea NOT NULL, contract bytea, amount numeric(78) NOT NULL,
    method_id bytea,
    CONSTRAINT evm_internal_transfers_pk PRIMARY KEY (chain_key, height, position),
    CONSTRAINT evm_internal_transfers_kind CHECK (kind IN ('INTERNAL', 'MINT'))
  ) PARTITION BY LIST (chain_key)`,
  `CREATE TABLE evm_atomic_transfers (
    chain_key bigint NOT NULL, height bigint NOT NULL, position int NOT NULL, block_time bigint NOT NULL,
    tx_hash bytea NOT NULL, kind text NOT NULL, address bytea NOT NULL, asset_id bytea NOT NULL,
    amount numeric(20) NOT NULL, blockchain_id bytea NOT NULL,
    CONSTRAINT evm_atomic_transfers_pk PRIMARY KEY (chain_key, height, position),
    CONSTRAINT evm_atomic_transfers_kind CHECK (kind IN ('IMPORT', 'EXPORT'))
  )`,
  'CREATE INDEX evm_atomic_transfers_address_idx ON evm_atomic_transfers (chain_key, address, height)',
  `CREATE TABLE evm_atomic_transactions (
    chain_key bigint NOT NULL, height bigint NOT NULL, position int NOT NULL, block_time bigint NOT NULL,
    tx_id bytea NOT NULL, blockchain_id bytea NOT NULL, burned jsonb NOT NULL, created bytea[] NOT NULL,
    consumed bytea[] NOT NULL,
    CONSTRAINT evm_atomic_transactions_pk PRIMARY KEY (chain_key, height, position)
  )`,
  'CREATE INDEX evm_atomic_transactions_tx_id_idx ON evm_atomic_transactions (chain_key, tx_id)',
  `CREATE TABLE evm_atomic_totals (
    chain_key bigint NOT NULL, asset_id bytea NOT NULL, burned numeric NOT NULL,
    CONSTRAINT evm_atomic_totals_pk PRIMARY KEY (chain_key, asset_id)
  )`,
  `CREATE TABLE evm_logs (
    chain_key bigint NOT NULL, log_set text NOT NULL, height bigint NOT NULL, log_index int NOT NULL,
    tx_index int NOT NULL, block_time bigint NOT NULL, tx_hash bytea NOT NULL, address bytea NOT NULL,
    topics bytea[] NOT NULL, data bytea NOT NULL, fee numeric(78) NOT NULL,
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    CONSTRAINT evm_logs_pk PRIMARY KEY (chain_key, log_set, height, log_index)
  )`,
  'CREATE INDEX evm_logs_seq_idx ON evm_logs (chain_key, log_set, seq)',
  `CREATE TABLE projection_checkpoints (
    chain_key bigint NOT NULL, projection text NOT NULL, version int NOT NULL, seq bigint NOT NULL,
    CONSTRAINT projection_checkpoints_pk PRIMARY KEY (chain_key, projection)
  )`,
  `CREATE TABLE evm_builds (
    chain_key bigint NOT NULL, from_height bigint NOT NULL, to_height bigint NOT NULL,
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY, version int NOT NULL, top_height bigint NOT NULL,
    next_height bigint NOT NULL, top_hash bytea, expected_top bytea, parent_hash bytea, ready_to bigint, made jsonb,
    owner uuid NOT NULL, expires_at timestamptz NOT NULL,
    CONSTRAINT evm_builds_pk PRIMARY KEY (chain_key, from_height)
  )`,
  `CREATE TABLE evm_tokens (
    chain_key bigint NOT NULL, contract bytea NOT NULL, name text, symbol text, csv_symbol text,
    decimals int, unit numeric, asked_at timestamptz NOT NULL DEFAULT now(), failure text,
    CONSTRAINT evm_tokens_pk PRIMARY KEY (chain_key, contract)
  )`,
  'CREATE INDEX evm_tokens_failed_idx ON evm_tokens (chain_key, asked_at) WHERE failure IS NOT NULL',
  'CREATE INDEX evm_tokens_asked_idx ON evm_tokens (chain_key, asked_at) WHERE failure IS NULL',
];

const MESSAGES_AND_NFTS = [
  `CREATE TABLE icm_sends (
    network text NOT NULL, message_id bytea NOT NULL, chain_key bigint NOT NULL, contract bytea NOT NULL,
    height bigint NOT NULL, log_index int NOT NULL, block_time bigint NOT NULL, tx_hash bytea NOT NULL,
    fee numeric(78) NOT NULL, source_blockchain_id bytea NOT NULL, destination_blockchain_id bytea NOT NULL,
    nonce numeric(78) NOT NULL, from_address bytea NOT NULL, to_address bytea NOT NULL,
    receipts bytea[] NOT NULL, data bytea NOT NULL, parties bytea[] NOT NULL,
    CONSTRAINT icm_sends_pk PRIMARY KEY (network, message_id)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX icm_sends_height_idx ON icm_sends (chain_key, height)',
  'CREATE INDEX icm_sends_tx_hash_idx ON icm_sends USING hash (tx_hash)',
  `CREATE TABLE icm_deliveries (
    network text NOT NULL, message_id bytea NOT NULL, chain_key bigint NOT NULL, contract bytea NOT NULL,
    height bigint NOT NULL, log_index int NOT NULL, block_time bigint NOT NULL, tx_hash bytea NOT NULL,
    fee numeric(78) NOT NULL, source_blockchain_id bytea NOT NULL, destination_blockchain_id bytea NOT NULL,
    nonce numeric(78) NOT NULL, from_address bytea NOT NULL, to_address bytea NOT NULL,
    receipts bytea[] NOT NULL, data bytea NOT NULL, parties bytea[] NOT NULL, deliverer bytea NOT NULL,
    reward_redeemer bytea NOT NULL,
    CONSTRAINT icm_deliveries_pk PRIMARY KEY (network, message_id)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX icm_deliveries_height_idx ON icm_deliveries (chain_key, height)',
  'CREATE INDEX icm_deliveries_tx_hash_idx ON icm_deliveries USING hash (tx_hash)',
  `CREATE TABLE icm_executions (
    network text NOT NULL, message_id bytea NOT NULL, chain_key bigint NOT NULL, contract bytea NOT NULL,
    height bigint NOT NULL, log_index int NOT NULL,
    CONSTRAINT icm_executions_pk PRIMARY KEY (network, message_id, chain_key, contract)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX icm_executions_height_idx ON icm_executions (chain_key, height)',
  `CREATE TABLE icm_fees (
    network text NOT NULL, message_id bytea NOT NULL, chain_key bigint NOT NULL, contract bytea NOT NULL,
    height bigint NOT NULL, log_index int NOT NULL, token bytea NOT NULL, amount numeric(78) NOT NULL,
    is_credited boolean NOT NULL,
    CONSTRAINT icm_fees_pk PRIMARY KEY (network, message_id, chain_key, contract)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX icm_fees_chain_key_idx ON icm_fees (chain_key)',
  `CREATE TABLE icm_senders (
    network text NOT NULL, message_id bytea NOT NULL, chain_key bigint NOT NULL, contract bytea NOT NULL,
    height bigint NOT NULL, log_index int NOT NULL, sender bytea NOT NULL,
    CONSTRAINT icm_senders_pk PRIMARY KEY (network, message_id, chain_key, contract)
  ) PARTITION BY LIST (network)`,
  'CREATE INDEX icm_senders_chain_key_idx ON icm_senders (chain_key)',
  `CREATE TABLE icm_listings (
    network text NOT NULL, address bytea NOT NULL, sort_time bigint NOT NULL, message_id bytea NOT NULL,
    since_version bigint NOT NULL, until_version bigint,
    CONSTRAINT icm_listings_pk PRIMARY KEY (network, address, sort_time, message_id, since_version)
  ) PARTITION BY LIST (network)`,
  `CREATE TABLE icm_list_version (
    version bigint NOT NULL
  ) WITH (fillfactor = 10)`,
  'INSERT INTO icm_list_version VALUES (0)',
  `CREATE TABLE icm_chains (
    network text NOT NULL, blockchain_id bytea NOT NULL, evm_chain_id bigint NOT NULL,
    CONSTRAINT icm_chains_pk PRIMARY KEY (network, blockchain_id)
  )`,
  `CREATE TABLE nft_tokens (
    chain_key bigint NOT NULL, address bytea NOT NULL, token_id numeric(78) NOT NULL, erc_type text NOT NULL,
    name text, symbol text, owner bytea, token_uri text, finding text, read_height bigint NOT NULL,
    read_at bigint NOT NULL, index_status text, metadata jsonb, index_height bigint, indexed_at bigint,
    index_again_at bigint, failures int NOT NULL DEFAULT 0, moved_height bigint NOT NULL DEFAULT -1,
    updated_height bigint NOT NULL DEFAULT -1, requested_at bigint NOT NULL, stored_bytes int NOT NULL,
    CONSTRAINT nft_tokens_pk PRIMARY KEY (chain_key, address, token_id)
  )`,
  // Room that a contract's tokens take, and those that have not been requested for the longest: without reading a row.
  'CREATE INDEX nft_tokens_contract_idx ON nft_tokens (chain_key, address, requested_at, stored_bytes)',
  'CREATE INDEX nft_tokens_requested_idx ON nft_tokens (requested_at)',
  `CREATE TABLE native_supply (
    network text NOT NULL, figures json, baseline_height bigint, updated_at timestamptz, problem text,
    CONSTRAINT native_supply_pk PRIMARY KEY (network)
  )`,
  `CREATE TABLE supply_baselines (
    network text NOT NULL, height bigint NOT NULL, block_hash bytea NOT NULL, burned numeric NOT NULL,
    imported_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT supply_baselines_pk PRIMARY KEY (network)
  )`,
];

const OPERATIONS = [
  `CREATE TABLE operations (
    operation_id uuid NOT NULL, type text NOT NULL, request_digest bytea NOT NULL, request jsonb,
    status text NOT NULL, message text NOT NULL, code text, next_date text, row_count bigint NOT NULL,
    byte_count bigint NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL, expires_at bigint,
    files_removed boolean NOT NULL DEFAULT false, storing_until bigint,
    CONSTRAINT operations_pk PRIMARY KEY (operation_id),
    CONSTRAINT operations_status CHECK (status IN ('RUNNING', 'COMPLETED', 'COMPLETED_WITH_WARNING', 'FAILED'))
  )`,
  'CREATE INDEX operations_files_idx ON operations (created_at) WHERE NOT files_removed',
  `CREATE TABLE export_claims (
    operation_id uuid NOT NULL, type text NOT NULL, owner text NOT NULL, request_digest bytea NOT NULL,
    claimed_at bigint NOT NULL, max_node_calls bigint NOT NULL, node_calls bigint NOT NULL DEFAULT 0,
    CONSTRAINT export_claims_pk PRIMARY KEY (operation_id)
  )`,
  'CREATE INDEX export_claims_owner_idx ON export_claims (owner, claimed_at)',
  `CREATE TABLE export_parts (
    operation_id uuid NOT NULL, part int NOT NULL, storage_key text, bytes bigint NOT NULL,
    rows bigint NOT NULL, position_after jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
    stored_bytes bigint NOT NULL,
    CONSTRAINT export_parts_pk PRIMARY KEY (operation_id, part)
  )`,
  `CREATE TABLE export_proofs (
    operation_id uuid NOT NULL, content text NOT NULL,
    CONSTRAINT export_proofs_pk PRIMARY KEY (operation_id)
  )`,
  `CREATE TABLE export_states (
    operation_id uuid NOT NULL, chain_key bigint NOT NULL, address bytea NOT NULL, is_nonce boolean NOT NULL,
    height bigint NOT NULL, value numeric(78) NOT NULL,
    CONSTRAINT export_states_pk PRIMARY KEY (operation_id, chain_key, address, is_nonce, height)
  )`,
  `CREATE TABLE export_log_windows (
    operation_id uuid NOT NULL, chain_key bigint NOT NULL, from_height bigint NOT NULL, to_height bigint NOT NULL,
    heights bigint[] NOT NULL,
    CONSTRAINT export_log_windows_pk PRIMARY KEY (operation_id, chain_key, from_height)
  )`,
];

const SIGNATURES = [
  `CREATE TABLE validator_signatures (
    message_id bytea NOT NULL, public_key bytea NOT NULL, signature bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT validator_signatures_pk PRIMARY KEY (message_id, public_key),
    CONSTRAINT validator_signatures_lengths CHECK ((octet_length(message_id) = 32) AND (octet_length(public_key) = 48) AND (octet_length(signature) = 192))
  )`,
  'CREATE INDEX validator_signatures_created_at_idx ON validator_signatures (created_at)',
  `CREATE TABLE aggregated_signatures (
    network text NOT NULL, request_digest bytea NOT NULL, validator_set_digest bytea NOT NULL,
    signing_subnet_id text NOT NULL, source_blockchain_id text NOT NULL, p_chain_height numeric(20) NOT NULL,
    signed_weight numeric(20) NOT NULL, total_weight numeric(20) NOT NULL, signed_message bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT aggregated_signatures_pk PRIMARY KEY (network, request_digest),
    CONSTRAINT aggregated_signatures_lengths CHECK ((octet_length(request_digest) = 32) AND (octet_length(validator_set_digest) = 32))
  )`,
  'CREATE INDEX aggregated_signatures_created_at_idx ON aggregated_signatures (created_at)',
];

const ACCESS = [
  `CREATE TABLE api_organisations (
    org_id text NOT NULL, created_at bigint NOT NULL,
    CONSTRAINT api_organisations_pk PRIMARY KEY (org_id)
  )`,
  `CREATE TABLE api_plans (
    plan text NOT NULL, units_per_minute bigint NOT NULL, units_per_day bigint NOT NULL,
    running_exports int NOT NULL, stored_exports int NOT NULL, stored_bytes bigint NOT NULL,
    node_calls_per_day bigint NOT NULL, waiting_aggregations int NOT NULL,
    CONSTRAINT api_plans_pk PRIMARY KEY (plan)
  )`,
  // Without a key: what a stranger needs. With one: in the proportions of a public service and, as this machine serves its own callers
  // alone, a hundred times as much.
  `INSERT INTO api_plans (plan, units_per_minute, units_per_day, running_exports, stored_exports, stored_bytes,
    node_calls_per_day, waiting_aggregations) VALUES
    ('public', 60000, 6000000, 10, 100, 5000000000, 2000000, 20),
    ('free', 800000, 200000000, 100, 1000, 20000000000, 20000000, 1000),
    ('base', 1000000, 375000000, 150, 1500, 30000000000, 30000000, 1500),
    ('growth', 1400000, 1120000000, 200, 2000, 40000000000, 40000000, 2000),
    ('pro', 2000000, 2500000000, 400, 4000, 80000000000, 80000000, 4000)`,
  `CREATE TABLE api_keys (
    api_key_id uuid NOT NULL, org_id text NOT NULL, key_hash bytea NOT NULL, prefix text NOT NULL,
    alias text NOT NULL, plan text NOT NULL, created_at bigint NOT NULL, expires_at bigint,
    revoked_at bigint,
    CONSTRAINT api_keys_pk PRIMARY KEY (api_key_id),
    CONSTRAINT api_keys_hash UNIQUE (key_hash),
    CONSTRAINT api_keys_org FOREIGN KEY (org_id) REFERENCES api_organisations(org_id),
    CONSTRAINT api_keys_plan FOREIGN KEY (plan) REFERENCES api_plans(plan)
  )`,
  `CREATE TABLE webhooks (
    webhook_id uuid NOT NULL, org_id text NOT NULL, url text NOT NULL, event_types text[] NOT NULL,
    created_at bigint NOT NULL, message_day int NOT NULL DEFAULT 0, message_count int NOT NULL DEFAULT 0,
    dropped_count bigint NOT NULL DEFAULT 0,
    CONSTRAINT webhooks_pk PRIMARY KEY (webhook_id),
    CONSTRAINT webhooks_org FOREIGN KEY (org_id) REFERENCES api_organisations(org_id)
  )`,
  'CREATE INDEX webhooks_org_idx ON webhooks (org_id, created_at)',
  `CREATE TABLE webhook_addresses (
    address bytea NOT NULL, webhook_id uuid NOT NULL, since bigint NOT NULL,
    CONSTRAINT webhook_addresses_pk PRIMARY KEY (address, webhook_id),
    CONSTRAINT webhook_addresses_webhook FOREIGN KEY (webhook_id) REFERENCES webhooks(webhook_id) ON DELETE CASCADE
  )`,
  'CREATE INDEX webhook_addresses_webhook_idx ON webhook_addresses (webhook_id)',
  `CREATE TABLE webhook_messages (
    event_id text NOT NULL, time bigint NOT NULL, event jsonb NOT NULL,
    CONSTRAINT webhook_messages_pk PRIMARY KEY (event_id)
  )`,
  'CREATE INDEX webhook_messages_time_idx ON webhook_messages (time)',
  `CREATE TABLE webhook_events (
    webhook_id uuid NOT NULL, event_id text NOT NULL, event jsonb,
    created_at bigint NOT NULL,
    CONSTRAINT webhook_events_pk PRIMARY KEY (webhook_id, event_id)
  )`,
  'CREATE INDEX webhook_events_waiting_idx ON webhook_events (webhook_id, created_at) WHERE event IS NOT NULL',
  'CREATE INDEX webhook_events_taken_idx ON webhook_events (created_at) WHERE event IS NULL',
  `CREATE UNLOGGED TABLE rate_limit_windows (
    subject text NOT NULL, minute int NOT NULL, minute_units bigint NOT NULL, day int NOT NULL,
    day_units bigint NOT NULL, granted bigint NOT NULL, leased bigint NOT NULL DEFAULT 0,
    leased_until double precision NOT NULL DEFAULT 0,
    CONSTRAINT rate_limit_windows_pk PRIMARY KEY (subject)
  ) WITH (fillfactor = 50)`,
  `CREATE TABLE api_requests (
    at timestamptz NOT NULL, org_id text NOT NULL, api_key_id uuid, request_path text NOT NULL,
    response_code int NOT NULL, chain_id text, units int NOT NULL, duration_ms float4 NOT NULL,
    requests int NOT NULL DEFAULT 1
  )`,
  'CREATE INDEX api_requests_at_idx ON api_requests (at)',
  'CREATE INDEX api_requests_org_idx ON api_requests (org_id, at)',
  `CREATE TABLE api_usage (
    org_id text NOT NULL, span text NOT NULL, "grouping" int NOT NULL, start_at timestamptz NOT NULL,
    request_path text, response_code int, chain_id text, api_key_id uuid, requests bigint NOT NULL,
    successes bigint NOT NULL, invalid bigint NOT NULL, units bigint NOT NULL, wasted bigint NOT NULL,
    median_bucket int NOT NULL, buckets int[] NOT NULL, counts bigint[] NOT NULL,
    CONSTRAINT api_usage_span CHECK (span IN ('hour', 'day'))
  )`,
  'CREATE INDEX api_usage_cells_idx ON api_usage (org_id, span, "grouping", start_at) INCLUDE (request_path, response_code, chain_id, api_key_id, requests, successes, invalid, units, wasted, median_bucket)',
  `CREATE TABLE api_usage_progress (
    span text NOT NULL, rolled_up_to timestamptz NOT NULL,
    CONSTRAINT api_usage_progress_pk PRIMARY KEY (span)
  )`,
  "INSERT INTO api_usage_progress (span, rolled_up_to) VALUES ('hour', '-infinity'), ('day', '-infinity')",
];

const STATUS = [
  `CREATE UNLOGGED TABLE signer_observations (
    network text NOT NULL, subnet_id bytea NOT NULL, node_id bytea NOT NULL, connected boolean NOT NULL,
    since timestamptz NOT NULL, seen_at timestamptz, connection text NOT NULL, version text, addresses text[] NOT NULL,
    answered_at timestamptz, latency_ms int, signed_at timestamptz, refused_at timestamptz, refusal text,
    is_own_refusal boolean, wrong_key_at timestamptz, updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT signer_observations_pk PRIMARY KEY (network, subnet_id, node_id)
  )`,
  `CREATE UNLOGGED TABLE service_processes (
    process_id uuid NOT NULL, is_api boolean NOT NULL, queues text[] NOT NULL, version text NOT NULL,
    stake jsonb NOT NULL, started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT service_processes_pk PRIMARY KEY (process_id)
  )`,
  `CREATE UNLOGGED TABLE aggregation_counts (
    slot bigint NOT NULL, bucket smallint NOT NULL, aggregations bigint NOT NULL,
    CONSTRAINT aggregation_counts_pk PRIMARY KEY (slot, bucket)
  )`,
  `CREATE UNLOGGED TABLE status_minutes (
    minute bigint NOT NULL, is_up boolean NOT NULL, lag_seconds float8,
    CONSTRAINT status_minutes_pk PRIMARY KEY (minute)
  )`,
];

/** An id as people write it: base58 of its bytes and the last four of their SHA-256. For what COPY sends; all else is made in code. */
const FUNCTIONS = [
  `CREATE FUNCTION cb58(id bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE
      alphabet CONSTANT text := '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
      bytes CONSTANT bytea := id || substr(sha256(id), 29);
      rest numeric := 0;
      digits text := '';
    BEGIN
      FOR at IN 0 .. length(bytes) - 1 LOOP
        rest := rest * 256 + get_byte(bytes, at);
      END LOOP;
      WHILE rest > 0 LOOP
        digits := substr(alphabet, mod(rest, 58)::int + 1, 1) || digits;
        rest := div(rest, 58);
      END LOOP;
      RETURN repeat('1', length(substring(encode(bytes, 'hex') FROM '^(?:00)*')) / 2) || digits;
    END
  $$`,
];

const SCHEMA = [
  ...FUNCTIONS,
  ...SERVICE,
  ...P_CHAIN,
  ...UTXOS,
  ...EVM,
  ...MESSAGES_AND_NFTS,
  ...OPERATIONS,
  ...SIGNATURES,
  ...ACCESS,
  ...STATUS,
  ...PUBLIC_NETWORKS.flatMap(networkPartitions),
];

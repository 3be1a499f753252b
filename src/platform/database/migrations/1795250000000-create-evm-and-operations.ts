import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * EVM chains as their blocks and receipts tell them, and the operations that export them.
 *
 * The tables of a chain's data are partitioned by chain id and then by ranges of heights. Chains come from the configuration, so
 * the index makes their partitions while it writes (src/indexes/evm/rows/partitions.ts). Hashes, addresses and method ids are bytes,
 * amounts and token ids uint256 as numeric(78), times UNIX seconds.
 */
export class CreateEvmAndOperations1795250000000 implements MigrationInterface {
  readonly name = 'CreateEvmAndOperations1795250000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [...EVM, ...OPERATIONS]) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...TABLES].reverse()) await queryRunner.query(`DROP TABLE ${table}`);
    // Their tables are gone: kept, they would say that the chains are indexed.
    for (const table of ['index_checkpoints', 'index_progress']) {
      await queryRunner.query(`DELETE FROM ${table} WHERE chain LIKE 'evm-%'`);
    }
  }
}

const TABLES = [
  'evm_blocks',
  'evm_transactions',
  'evm_transfers',
  'evm_tokens',
  'operations',
  'export_parts',
];

const EVM = [
  `CREATE TABLE evm_blocks (
    chain_id bigint NOT NULL,
    height bigint NOT NULL,
    hash bytea NOT NULL,
    block_time bigint NOT NULL,
    CONSTRAINT evm_blocks_pk PRIMARY KEY (chain_id, height)
  ) PARTITION BY LIST (chain_id)`,
  // First block of a day.
  'CREATE INDEX evm_blocks_block_time_idx ON evm_blocks (block_time, height)',
  // to_address: the recipient, or the contract that was created; null when neither is. Each transaction stands for its native
  // movement (if it succeeded, and moved something or created a contract) and its fee.
  `CREATE TABLE evm_transactions (
    chain_id bigint NOT NULL,
    height bigint NOT NULL,
    tx_index int NOT NULL,
    block_time bigint NOT NULL,
    tx_hash bytea NOT NULL,
    from_address bytea NOT NULL,
    to_address bytea,
    is_creation boolean NOT NULL,
    is_success boolean NOT NULL,
    value numeric(78) NOT NULL,
    fee numeric(78) NOT NULL,
    fee_recipient bytea NOT NULL,
    method_id bytea,
    CONSTRAINT evm_transactions_pk PRIMARY KEY (chain_id, height, tx_index)
  ) PARTITION BY LIST (chain_id)`,
  'CREATE INDEX evm_transactions_from_address_idx ON evm_transactions (from_address, height)',
  'CREATE INDEX evm_transactions_to_address_idx ON evm_transactions (to_address, height)',
  // On most chains fees go to one address that nobody owns: whoever asks for that one reads the whole range anyway.
  `CREATE INDEX evm_transactions_fee_recipient_idx ON evm_transactions (fee_recipient, height)
     WHERE fee_recipient <> '\\x0100000000000000000000000000000000000000'`,
  // Movements that a transaction's own row does not tell: tokens and internal ones. position counts them through the block. What
  // an exported row needs of its transaction is repeated here, because exports are read a million rows at a time.
  `CREATE TABLE evm_transfers (
    chain_id bigint NOT NULL,
    height bigint NOT NULL,
    position int NOT NULL,
    tx_index int NOT NULL,
    block_time bigint NOT NULL,
    tx_hash bytea NOT NULL,
    kind text NOT NULL,
    log_index int,
    batch_index int,
    trace_path text,
    from_address bytea NOT NULL,
    to_address bytea NOT NULL,
    contract bytea,
    token_id numeric(78),
    amount numeric(78) NOT NULL,
    method_id bytea,
    CONSTRAINT evm_transfers_pk PRIMARY KEY (chain_id, height, position),
    CONSTRAINT evm_transfers_kind CHECK (kind IN ('ERC20', 'ERC721', 'ERC1155', 'INTERNAL'))
  ) PARTITION BY LIST (chain_id)`,
  'CREATE INDEX evm_transfers_from_address_idx ON evm_transfers (from_address, height)',
  'CREATE INDEX evm_transfers_to_address_idx ON evm_transfers (to_address, height)',
  // name and symbol as the contract says them, cleaned and cut; csv_symbol neutralised for spreadsheets, not yet quoted; unit is
  // 10^-decimals.
  `CREATE TABLE evm_tokens (
    chain_id bigint NOT NULL,
    contract bytea NOT NULL,
    name text,
    symbol text,
    csv_symbol text,
    decimals int,
    unit numeric,
    standard text,
    CONSTRAINT evm_tokens_pk PRIMARY KEY (chain_id, contract)
  )`,
];

const OPERATIONS = [
  // What the workflow says of itself; outlives Temporal's retention. request is null when it was ended before it could say anything.
  `CREATE TABLE operations (
    operation_id uuid NOT NULL,
    type text NOT NULL,
    request_digest bytea NOT NULL,
    request jsonb,
    status text NOT NULL,
    message text NOT NULL,
    code text,
    next_date text,
    row_count bigint NOT NULL,
    byte_count bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    expires_at bigint,
    files_removed boolean NOT NULL DEFAULT false,
    CONSTRAINT operations_pk PRIMARY KEY (operation_id),
    CONSTRAINT operations_status CHECK (status IN ('RUNNING', 'COMPLETED', 'COMPLETED_WITH_WARNING', 'FAILED'))
  )`,
  // What the schedule has to look at.
  'CREATE INDEX operations_files_idx ON operations (created_at) WHERE NOT files_removed',
  // Pieces of an export's file, in order, and where the export stood after each. storage_key is null for a piece without bytes.
  `CREATE TABLE export_parts (
    operation_id uuid NOT NULL,
    part int NOT NULL,
    storage_key text,
    bytes bigint NOT NULL,
    rows bigint NOT NULL,
    position_after jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT export_parts_pk PRIMARY KEY (operation_id, part)
  )`,
];

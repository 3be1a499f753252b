import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is known of a chain is kept by facet: each has tables of its own, and ranges of heights that are complete. So a facet can be
 * filled in, done again by a newer decoder, or be missing, without the others.
 *
 * Internal transfers move out of `evm_transfers`; the checkpoint's list of ranges becomes rows of `index_coverage`.
 */
export class CoverByFacet1795410000000 implements MigrationInterface {
  readonly name = 'CoverByFacet1795410000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET LOCAL statement_timeout = 0'); // all internal transfers are moved
    for (const statement of [...TABLES, ...COLUMNS]) await queryRunner.query(statement);
    await copyPartitions(queryRunner);
    for (const statement of [...MOVES, ...COVERAGE]) await queryRunner.query(statement);
  }

  /** What the former tables cannot hold is gone; their chains are indexed anew. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET LOCAL statement_timeout = 0');
    for (const table of ['index_checkpoints', 'index_progress']) {
      await queryRunner.query(`DELETE FROM ${table} WHERE chain LIKE 'evm-%'`);
    }
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const NEW_PARTITIONED = ['evm_internal_transfers', 'evm_atomic_transfers', 'evm_logs'];

const TABLES = [
  // status: `complete`, or `unavailable` for what no node had when it was last asked. version: of the decoder that made the rows.
  `CREATE TABLE index_coverage (
    network text NOT NULL,
    chain text NOT NULL,
    facet text NOT NULL,
    from_height bigint NOT NULL,
    to_height bigint NOT NULL,
    status text NOT NULL,
    version int NOT NULL,
    checked_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT index_coverage_pk PRIMARY KEY (network, chain, facet, from_height),
    CONSTRAINT index_coverage_status CHECK (status IN ('complete', 'unavailable')),
    CONSTRAINT index_coverage_heights CHECK (from_height <= to_height)
  ) WITH (fillfactor = 50)`,
  // What calls of contracts moved, of the native asset.
  `CREATE TABLE evm_internal_transfers (
    chain_key bigint NOT NULL,
    height bigint NOT NULL,
    position int NOT NULL,
    tx_index int NOT NULL,
    block_time bigint NOT NULL,
    tx_hash bytea NOT NULL,
    kind text NOT NULL,
    trace_path text NOT NULL,
    from_address bytea NOT NULL,
    to_address bytea NOT NULL,
    contract bytea,
    amount numeric(78) NOT NULL,
    method_id bytea,
    CONSTRAINT evm_internal_transfers_pk PRIMARY KEY (chain_key, height, position),
    CONSTRAINT evm_internal_transfers_kind CHECK (kind IN ('INTERNAL', 'MINT'))
  ) PARTITION BY LIST (chain_key)`,
  'CREATE INDEX evm_internal_transfers_from_address_idx ON evm_internal_transfers (from_address, height)',
  'CREATE INDEX evm_internal_transfers_to_address_idx ON evm_internal_transfers (to_address, height)',
  // What atomic transactions bring to an address of the EVM, or take from it, in the asset's own unit.
  `CREATE TABLE evm_atomic_transfers (
    chain_key bigint NOT NULL,
    height bigint NOT NULL,
    position int NOT NULL,
    block_time bigint NOT NULL,
    tx_hash bytea NOT NULL,
    kind text NOT NULL,
    address bytea NOT NULL,
    asset_id bytea NOT NULL,
    amount numeric(20) NOT NULL,
    blockchain_id bytea NOT NULL,
    CONSTRAINT evm_atomic_transfers_pk PRIMARY KEY (chain_key, height, position),
    CONSTRAINT evm_atomic_transfers_kind CHECK (kind IN ('IMPORT', 'EXPORT'))
  ) PARTITION BY LIST (chain_key)`,
  'CREATE INDEX evm_atomic_transfers_address_idx ON evm_atomic_transfers (address, height)',
  // Logs of watched contracts, as they are.
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

const COLUMNS = [
  // Whether any of its transactions may have moved something on the way; of blocks from before nobody knows.
  'ALTER TABLE evm_blocks ADD COLUMN needs_trace boolean NOT NULL DEFAULT true',
  'ALTER TABLE evm_blocks ALTER COLUMN needs_trace DROP DEFAULT',
  // A mint without a transaction (genesis, state upgrade) has the index -1 and no hash.
  'ALTER TABLE evm_transfers ALTER COLUMN tx_hash DROP NOT NULL',
  'ALTER TABLE evm_tokens ADD COLUMN asked_at timestamptz NOT NULL DEFAULT now()',
  'ALTER TABLE evm_tokens ADD COLUMN failure text',
  // Null for a part that is stored as it is.
  'ALTER TABLE export_parts ADD COLUMN stored_bytes bigint',
];

const MOVES = [
  `INSERT INTO evm_internal_transfers (chain_key, height, position, tx_index, block_time, tx_hash, kind, trace_path,
     from_address, to_address, contract, amount, method_id)
   SELECT chain_key, height, position, tx_index, block_time, tx_hash, kind, trace_path, from_address, to_address, contract,
     amount, method_id FROM evm_transfers WHERE kind = 'INTERNAL'`,
  `DELETE FROM evm_transfers WHERE kind = 'INTERNAL'`,
  'ALTER TABLE evm_transfers DROP CONSTRAINT evm_transfers_kind',
  `ALTER TABLE evm_transfers
     ADD CONSTRAINT evm_transfers_kind CHECK (kind IN ('ERC20', 'ERC721', 'ERC1155', 'MINT'))`,
  'ALTER TABLE evm_transfers DROP COLUMN trace_path',
];

const RANGES = `SELECT network, chain, (range ->> 'from')::bigint AS from_height, (range ->> 'to')::bigint AS to_height,
    (range ->> 'isTraced')::boolean AS is_traced
  FROM index_checkpoints, jsonb_array_elements(state -> 'ranges') AS range WHERE chain LIKE 'evm-%'`;

/** The present one, except where a chain may have a minter of native coins: those were not read. */
const BASE_VERSION = "CASE WHEN chain IN ('evm-43114', 'evm-43113', 'evm-43112') THEN 2 ELSE 1 END";

/** Neighbours whose only difference was the tracing are one range of the blocks. */
const COVERAGE = [
  `INSERT INTO index_coverage (network, chain, facet, from_height, to_height, status, version)
   SELECT network, chain, 'base', min(from_height), max(to_height), 'complete', ${BASE_VERSION} FROM (
     SELECT *, count(*) FILTER (WHERE is_start) OVER (PARTITION BY network, chain ORDER BY from_height) AS stretch FROM (
       SELECT *, lag(to_height) OVER (PARTITION BY network, chain ORDER BY from_height) + 1 IS DISTINCT FROM from_height AS is_start
       FROM (${RANGES}) AS ranges
     ) AS marked
   ) AS stretches GROUP BY network, chain, stretch`,
  `INSERT INTO index_coverage (network, chain, facet, from_height, to_height, status, version)
   SELECT network, chain, 'traces', from_height, to_height, 'complete', 1 FROM (${RANGES}) AS ranges WHERE is_traced`,
  `UPDATE index_checkpoints SET state = state - 'ranges' WHERE chain LIKE 'evm-%'`,
];

const REVERSE = [
  'DROP TABLE index_coverage',
  ...NEW_PARTITIONED.map((table) => `DROP TABLE ${table}`),
  'TRUNCATE evm_blocks, evm_transactions, evm_transfers, evm_tokens',
  'ALTER TABLE evm_blocks DROP COLUMN needs_trace',
  'ALTER TABLE evm_transfers DROP CONSTRAINT evm_transfers_kind',
  `ALTER TABLE evm_transfers
     ADD CONSTRAINT evm_transfers_kind CHECK (kind IN ('ERC20', 'ERC721', 'ERC1155', 'INTERNAL'))`,
  'ALTER TABLE evm_transfers ADD COLUMN trace_path text',
  'ALTER TABLE evm_transfers ALTER COLUMN tx_hash SET NOT NULL',
  'ALTER TABLE evm_tokens DROP COLUMN asked_at',
  'ALTER TABLE evm_tokens DROP COLUMN failure',
  'ALTER TABLE export_parts DROP COLUMN stored_bytes',
];

interface Partition {
  readonly name: string;
  readonly parent: string;
  readonly bounds: string;
  readonly is_leaf: boolean;
}

/** The new tables are divided as those are that their rows belong to. */
async function copyPartitions(queryRunner: QueryRunner): Promise<void> {
  const model = 'evm_transfers';
  const partitions = await queryRunner.manager.query<Partition[]>(
    `SELECT tree.relid::text AS name, tree.parentrelid::text AS parent, tree.isleaf AS is_leaf,
       pg_get_expr(class.relpartbound, class.oid) AS bounds
     FROM pg_partition_tree('${model}') AS tree JOIN pg_class AS class ON class.oid = tree.relid
     WHERE tree.level > 0 ORDER BY tree.level`,
  );
  for (const table of NEW_PARTITIONED) {
    for (const { name, parent, bounds, is_leaf } of partitions) {
      const [own, ownParent] = [name, parent].map((text) => text.replace(model, table));
      const division = is_leaf ? '' : 'PARTITION BY RANGE (height)';
      await queryRunner.query(`CREATE TABLE ${own} PARTITION OF ${ownParent} ${bounds} ${division}`);
    }
  }
}

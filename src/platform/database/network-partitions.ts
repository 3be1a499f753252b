import { idFromString } from '../../avalanche/ids/id.js';
import { type IdHex, idToHex } from '../../avalanche/ids/text.js';
import type { NetworkName } from '../config/network-names.js';
import { partitionOf } from './chains.js';

/** Tables with a partition of each network, apart from those that are vacuumed more often. */
const PARTITIONED = [
  'p_chain_transactions',
  'nodes',
  'validators',
  'validation_cycles',
  'delegators',
  'delegator_reward_addresses',
  'staking_transactions',
  'subnets',
  'blockchains',
  'subnet_stakes',
  'l1_validators',
  'validator_set_members',
  'assets',
  'x_chain_transactions',
  'x_chain_vertices',
  'icm_sends',
  'icm_deliveries',
  'icm_executions',
  'icm_fees',
  'icm_senders',
  'icm_listings',
] as const;

const CHAINS = ['P', 'X', 'C'] as const;

/**
 * Of tables in which many rows change. By default a fifth of a table is dead before it is vacuumed: of a hundred million UTXOs that is
 * twenty million entries in front of the first page of an exchange's address.
 */
const VACUUMED_EARLY =
  'autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05';

/**
 * Entries of what was spent stand in front of an address's first page until they are vacuumed: 100 ms for a million of them. As Postgres
 * writes it down.
 */
export const FEW_DEAD_LISTINGS = 'autovacuum_vacuum_max_threshold=20000';

/** Vacuuming would leave the indexes alone where few pages have any that are dead. */
const CLEAN_INDEXES = 'vacuum_index_cleanup = on';

/**
 * Statements that make the partitions of one network, with the indexes that the tables themselves do not have. The migration runs them for
 * the public networks; those of NETWORKS_FILE get theirs when a process starts that has the file.
 */
export function networkPartitions(network: NetworkName): string[] {
  return [
    ...PARTITIONED.map((table) => partition(table, network)),
    // Stakes leave it from its beginning, where lists walk over what is dead.
    partition('staking_listings', network, `WITH (${VACUUMED_EARLY})`),
    ...utxoPartitions(network),
    ...CHAINS.flatMap((chain) => listingPartition(network, chain)),
    ...planning(network),
  ];
}

function partition(table: string, network: NetworkName, rest = ''): string {
  return `CREATE TABLE ${partitionOf(table, network)} PARTITION OF ${table} FOR VALUES IN ('${network}') ${rest}`;
}

function utxoPartitions(network: NetworkName): string[] {
  const utxos = partitionOf('utxos', network);
  return [
    partition('utxos', network, `WITH (fillfactor = 85, ${VACUUMED_EARLY})`),
    // Rewards are few among all UTXOs.
    `CREATE INDEX ${utxos}_rewards_tx_id_idx ON ${utxos} (tx_id) WHERE reward_type IS NOT NULL`,
    // Changes by block. When a UTXO is spent stands in its listings: here it would keep rows from staying on their page.
    `CREATE INDEX ${utxos}_block_height_idx ON ${utxos} (block_height)`,
    // Locked outputs are looked for among all UTXOs. Spending changes nothing of it, so that rows stay on their page.
    `CREATE INDEX ${utxos}_locktime_idx ON ${utxos} (stakeable_locktime, owner_locktime)
      WHERE stakeable_locktime IS NOT NULL OR owner_locktime > 0`,
    partition('utxo_listings', network, 'PARTITION BY LIST (chain)'),
  ];
}

function listingPartition(network: NetworkName, chain: (typeof CHAINS)[number]): string[] {
  const listings = partitionOf('utxo_listings', network, chain);
  const whole = partitionOf('utxo_listings', network);
  const indexes = ['block_time', 'amount'].flatMap((column) =>
    chain === 'X'
      ? assetIndexes(listings, network, column)
      : [`CREATE INDEX ${listings}_${column}_idx ON ${listings} (address, is_spent, ${column}, utxo_id)`],
  );
  return [
    `CREATE TABLE ${listings} PARTITION OF ${whole} FOR VALUES IN ('${chain}') WITH (${[VACUUMED_EARLY, FEW_DEAD_LISTINGS, CLEAN_INDEXES].join(', ')})`,
    ...indexes,
    ...(chain === 'P'
      ? [`CREATE INDEX ${listings}_rewards_idx ON ${listings} (address, block_time, utxo_id) WHERE is_reward`]
      : []),
    // Blocks come in order, so that it grows at one end; the list of the whole chain has each UTXO once.
    `CREATE INDEX ${listings}_spent_height_idx ON ${listings} (spent_height) WHERE address = '' AND spent_height IS NOT NULL`,
  ];
}

/**
 * The filter by asset exists on the X-chain only. Most of its UTXOs hold AVAX, and each index costs about a sixth of writing them:
 * those that begin with the asset serve lists of AVAX alone and of everything, so that the others need to hold no AVAX.
 */
function assetIndexes(listings: string, network: NetworkName, column: string): string[] {
  return [
    `CREATE INDEX ${listings}_asset_id_${column}_idx ON ${listings} (asset_id, address, is_spent, ${column}, utxo_id)`,
    `CREATE INDEX ${listings}_others_${column}_idx ON ${listings} (address, is_spent, ${column}, utxo_id)
       WHERE asset_id <> '\\x${avaxOfIndexes(network)}'`,
  ];
}

/** Of the public networks. */
const AVAX: ReadonlyMap<NetworkName, IdHex> = new Map([
  ['mainnet', idToHex(idFromString('FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z'))],
  ['fuji', idToHex(idFromString('U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK'))],
]);
const NO_ASSET = idToHex(new Uint8Array(32));

/** The asset that a network's indexes leave out, hex; AVAX of any but the public networks is an asset as any other to them. */
export function avaxOfIndexes(network: NetworkName): IdHex {
  return AVAX.get(network) ?? NO_ASSET;
}

/**
 * Owners, nodes and addresses have a few rows on average, and some a million. The lists walk an index of one of them in the order of
 * the page, which costs nothing more for a million. Planned for the average, Postgres might as well take all of an owner's rows and
 * sort them; planned for many, it never does.
 */
function planning(network: NetworkName): string[] {
  return [
    ...CHAINS.map((chain) => assumeDistinct(partitionOf('utxo_listings', network, chain), 'address', 20)),
    assumeDistinct(partitionOf('delegator_reward_addresses', network), 'address', 20),
    assumeDistinct(partitionOf('delegators', network), 'node_id', 20),
    assumeDistinct(partitionOf('staking_listings', network), 'address', 20),
    assumeDistinct(partitionOf('icm_listings', network), 'address', 100),
  ];
}

/** The number of values that a column has, whatever there are; counts from the next ANALYZE on. */
function assumeDistinct(partition: string, column: string, count: number): string {
  return `ALTER TABLE ${partition} ALTER COLUMN ${column} SET (n_distinct = ${count})`;
}

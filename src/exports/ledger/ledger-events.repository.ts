import { avaxOfIndexes } from '../../platform/database/network-partitions.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { arrayLiteral } from '../../platform/database/array-literal.js';
import { evmChainKey, type EvmChainRef, partitionOf } from '../../platform/database/chains.js';
import type { Transaction } from '../../platform/database/database.js';

/** Whose events, and in which seconds: `from` included, `behind` not. Addresses are hex. */
export interface EventQuery {
  readonly network: NetworkName;
  readonly cChain: EvmChainRef | undefined;
  readonly addresses: readonly string[];
  readonly evmAddresses: readonly string[];
  readonly from: number;
  readonly behind: number;
}

/** A moment in the life of an output, or of the EVM's side of an import or export. Ids are hex. */
export interface LedgerEvent {
  readonly kind: 'created' | 'spent' | 'unstaked' | 'credited' | 'debited';
  readonly chainId: string;
  /** UNIX seconds. */
  readonly time: number;
  /** Unknown of `unstaked`, as is `txId`: those of the transaction that ended the stake. */
  readonly height: string | null;
  readonly txId: string | null;
  readonly createdByTxId: string;
  readonly assetId: string;
  readonly amount: string;
  readonly threshold: number;
  readonly owners: readonly string[];
  readonly rewardType: 'VALIDATOR' | 'DELEGATOR' | 'VALIDATOR_FEE' | null;
  readonly isStakeOutput: boolean;
  /** Of what crosses: where it goes to or comes from, and the transaction there, once it is known. */
  readonly otherChainId: string | null;
  readonly otherTxId: string | null;
}

/** Rows are found by their keys, whatever the statistics of tables that grow this fast make of it. */
export const BY_KEYS: Readonly<Record<string, string>> = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

/**
 * The first events in the order of time, more than `limit` only where they have one time; `behind`: up to where they are all. When an
 * output was spent stands in no index, so that each call looks at all that the addresses ever had.
 */
export async function findEvents(
  transaction: Transaction,
  query: EventQuery,
  limit: number,
): Promise<{ events: LedgerEvent[]; behind: number }> {
  const events = [
    ...(await findOutputEvents(transaction, query, limit + 1)),
    ...(await findEvmEvents(transaction, query, limit + 1)),
  ].sort((a, b) => a.time - b.time);
  const cut = events[limit]?.time;
  if (cut === undefined) return { events, behind: query.behind };
  const before = events.filter(({ time }) => time < cut);
  if (before.length > 0) return { events: before, behind: cut };
  return findEvents(transaction, { ...query, behind: cut + 1 }, 4 * limit);
}

async function findOutputEvents(
  transaction: Transaction,
  { network, addresses, from, behind }: EventQuery,
  limit: number,
): Promise<LedgerEvent[]> {
  if (addresses.length === 0) return [];
  const rows = await transaction.query<Omit<LedgerEvent, 'time'> & { time: string }>({
    text: `WITH listed AS MATERIALIZED (${listedOutputs(network)})
      SELECT e.kind, encode(e.chain_id, 'hex') AS "chainId", e.time, e.height, encode(e.tx_id, 'hex') AS "txId",
        encode(u.tx_id, 'hex') AS "createdByTxId", encode(u.asset_id, 'hex') AS "assetId", u.amount, u.owner_threshold AS threshold,
        ARRAY(SELECT encode(each, 'hex') FROM unnest(u.owner_addresses) AS each) AS owners, u.reward_type AS "rewardType",
        u.is_stake_output AS "isStakeOutput", encode(e.other_chain_id, 'hex') AS "otherChainId", encode(e.other_tx_id, 'hex') AS "otherTxId"
      FROM listed
      JOIN ${partitionOf('utxos', network)} u ON u.network = '${network}' AND u.utxo_id = listed.utxo_id
      CROSS JOIN LATERAL (VALUES
        ('created', u.created_on_chain_id, u.block_time, u.block_height, u.tx_id,
          NULLIF(u.spendable_on_chain_id, u.created_on_chain_id), u.consuming_tx_id),
        ('spent', u.spendable_on_chain_id, u.consuming_block_time, u.consuming_block_height, u.consuming_tx_id,
          NULLIF(u.created_on_chain_id, u.spendable_on_chain_id), u.tx_id),
        ('unstaked', u.created_on_chain_id, CASE WHEN u.is_stake_output AND NOT u.staked THEN u.stake_end END, NULL, NULL, NULL, NULL)
      ) AS e (kind, chain_id, time, height, tx_id, other_chain_id, other_tx_id)
      WHERE u.amount > 0 AND e.time >= $2 AND e.time < $3
      ORDER BY e.time LIMIT $4`,
    values: [arrayLiteral('bytea', addresses), from, behind, limit],
  });
  return rows.map(({ time, ...row }) => ({ ...row, time: Number(time) }));
}

/** Each once. On the X-chain, the indexes are those of AVAX as the network has it by its name, and of all else. */
function listedOutputs(network: NetworkName): string {
  const avax = `'\\x${avaxOfIndexes(network)}'::bytea`;
  const listings = (chain: 'P' | 'X' | 'C', condition: string): string =>
    `SELECT utxo_id FROM ${partitionOf('utxo_listings', network, chain)}
      WHERE ${condition} AND address = ANY ($1::bytea[]) AND is_spent = ANY ('{t,f}') AND block_time < $3`;
  return [
    listings('P', 'true'),
    listings('X', `asset_id = ${avax}`),
    listings('X', `asset_id <> ${avax}`),
    listings('C', 'true'),
  ].join(' UNION ');
}

async function findEvmEvents(
  transaction: Transaction,
  { cChain, evmAddresses, from, behind }: EventQuery,
  limit: number,
): Promise<LedgerEvent[]> {
  if (cChain === undefined || evmAddresses.length === 0) return [];
  const rows = await transaction.query<Omit<LedgerEvent, 'time'> & { time: string; address: string }>({
    text: `SELECT CASE kind WHEN 'IMPORT' THEN 'credited' ELSE 'debited' END AS kind, block_time AS time, height,
        encode(tx_hash, 'hex') AS "txId", encode(address, 'hex') AS address, encode(asset_id, 'hex') AS "assetId", amount,
        encode(blockchain_id, 'hex') AS "otherChainId"
      FROM evm_atomic_transfers
      WHERE chain_key = $1 AND address = ANY ($2::bytea[]) AND block_time >= $3 AND block_time < $4 AND amount > 0
      ORDER BY block_time LIMIT $5`,
    values: [evmChainKey(cChain), arrayLiteral('bytea', evmAddresses), from, behind, limit],
  });
  const ofEvm = {
    chainId: 'C',
    createdByTxId: '',
    threshold: 1,
    rewardType: null,
    isStakeOutput: false,
    otherTxId: null,
  };
  return rows.map(({ time, address, ...row }) => ({
    ...row,
    ...ofEvm,
    time: Number(time),
    owners: [`0x${address}`],
  }));
}

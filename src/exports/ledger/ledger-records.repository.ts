import type { NetworkName } from '../../platform/config/config.module.js';
import { arrayLiteral } from '../../platform/database/array-literal.js';
import { evmChainKey, type EvmChainRef, type PrimaryChain } from '../../platform/database/chains.js';
import type { Transaction } from '../../platform/database/database.js';

/** The record of a transaction, whoever it concerns. Ids are hex, amounts nAVAX. */
export interface RecordedTransaction {
  readonly type: string;
  readonly height: string;
  readonly burned: string;
  readonly avaxSpent: string;
}

export interface RecordedStaker {
  readonly nodeId: string;
  readonly stakingTxId: string;
  /** null while it stakes. */
  readonly endTxId: string | null;
}

/** One end of what has crossed from a chain to another, and the transaction at its other end, where that is known. */
export interface Crossing {
  readonly txId: string;
  readonly otherChainId: string;
  readonly otherTxId: string | null;
}

type Named<Row> = Row & { readonly txId: string };

/** By transaction id. */
export async function findTransactions(
  transaction: Transaction,
  { network, chain }: { readonly network: NetworkName; readonly chain: Exclude<PrimaryChain, 'C'> },
  txIds: readonly string[],
): Promise<ReadonlyMap<string, RecordedTransaction>> {
  const table = chain === 'P' ? 'p_chain_transactions' : 'x_chain_transactions';
  const rows = await transaction.query<Named<RecordedTransaction>>({
    text: `SELECT encode(tx_id, 'hex') AS "txId", type, block_height AS height, burned, avax_spent AS "avaxSpent"
      FROM ${table} WHERE network = $1 AND tx_id = ANY ($2::bytea[])`,
    values: [network, arrayLiteral('bytea', txIds)],
  });
  return new Map(rows.map(({ txId, ...row }) => [txId, row]));
}

/** Of the C-chain: what an import brings and burns has gone in, and what an export takes. */
export async function findAtomicTransactions(
  transaction: Transaction,
  { cChain, avaxAssetId }: { readonly cChain: EvmChainRef; readonly avaxAssetId: string },
  txIds: readonly string[],
): Promise<ReadonlyMap<string, RecordedTransaction>> {
  const rows = await transaction.query<Named<RecordedTransaction>>({
    text: `SELECT encode(a.tx_id, 'hex') AS "txId", CASE a.created WHEN '{}' THEN 'Import' ELSE 'Export' END AS type, a.height,
        COALESCE(a.burned ->> $3, '0') AS burned,
        COALESCE(t.amount, 0) + CASE a.created WHEN '{}' THEN COALESCE((a.burned ->> $3)::numeric, 0) ELSE 0 END AS "avaxSpent"
      FROM evm_atomic_transactions a
      CROSS JOIN LATERAL (
        SELECT sum(amount) AS amount FROM evm_atomic_transfers
         WHERE chain_key = $1 AND height = a.height AND tx_hash = a.tx_id AND asset_id = decode($3, 'hex')
      ) AS t
      WHERE a.chain_key = $1 AND a.tx_id = ANY ($2::bytea[])`,
    values: [evmChainKey(cChain), arrayLiteral('bytea', txIds), avaxAssetId],
  });
  return new Map(rows.map(({ txId, ...row }) => [txId, row]));
}

/** By what the outputs of stakes and rewards are numbered under: the staking transaction, or that of a renewed validator's payment. */
export async function findStakers(
  transaction: Transaction,
  network: NetworkName,
  txIds: readonly string[],
): Promise<ReadonlyMap<string, RecordedStaker>> {
  const from = (table: string, { key, end }: { key: string; end: string }): string =>
    `SELECT encode(${key}, 'hex') AS "txId", encode(tx_id, 'hex') AS "stakingTxId", encode(node_id, 'hex') AS "nodeId",
       encode(${end}, 'hex') AS "endTxId" FROM ${table} WHERE network = $1 AND ${key} = ANY ($2::bytea[])`;
  const staker = { key: 'tx_id', end: 'end_tx_id' };
  const tables = [
    from('validators', staker),
    from('delegators', staker),
    from('validation_cycles', { key: 'reward_tx_id', end: 'reward_tx_id' }),
  ];
  const rows = await transaction.query<Named<RecordedStaker>>({
    text: tables.join(' UNION ALL '),
    values: [network, arrayLiteral('bytea', txIds)],
  });
  return new Map(rows.map(({ txId, ...row }) => [txId, row]));
}

/** Which transactions imported what these have exported, to whomever. Outputs are numbered without gaps, and their ids follow from that. */
export async function findExported(
  transaction: Transaction,
  network: NetworkName,
  txIds: readonly string[],
): Promise<Crossing[]> {
  if (txIds.length === 0) return [];
  return transaction.query({
    text: `WITH RECURSIVE output AS (
        SELECT tx_id, 0::bigint AS number FROM unnest($2::bytea[]) AS tx_id
        UNION ALL
        SELECT o.tx_id, o.number + 1 FROM output o
          JOIN utxos u ON u.network = $1 AND u.utxo_id = sha256(int8send(o.number) || o.tx_id)
      )
      SELECT encode(o.tx_id, 'hex') AS "txId", encode(u.spendable_on_chain_id, 'hex') AS "otherChainId",
        encode(u.consuming_tx_id, 'hex') AS "otherTxId"
      FROM output o
      JOIN utxos u ON u.network = $1 AND u.utxo_id = sha256(int8send(o.number) || o.tx_id)
      WHERE u.spendable_on_chain_id <> u.created_on_chain_id`,
    values: [network, arrayLiteral('bytea', txIds)],
  });
}

/** Which transactions exported what these have imported on the C-chain, whoever owned it. */
export async function findImported(
  transaction: Transaction,
  { network, cChain }: { readonly network: NetworkName; readonly cChain: EvmChainRef },
  txIds: readonly string[],
): Promise<Crossing[]> {
  if (txIds.length === 0) return [];
  return transaction.query({
    text: `SELECT encode(a.tx_id, 'hex') AS "txId", encode(u.created_on_chain_id, 'hex') AS "otherChainId",
        encode(u.tx_id, 'hex') AS "otherTxId"
      FROM evm_atomic_transactions a
      JOIN utxos u ON u.network = $2 AND u.utxo_id = ANY (a.consumed)
      WHERE a.chain_key = $1 AND a.tx_id = ANY ($3::bytea[])`,
    values: [evmChainKey(cChain), network, arrayLiteral('bytea', txIds)],
  });
}

export async function findAssets(
  transaction: Transaction,
  network: NetworkName,
  assetIds: readonly string[],
): Promise<ReadonlyMap<string, { symbol: string; denomination: number }>> {
  const rows = await transaction.query<{ assetId: string; symbol: string; denomination: number }>({
    text: `SELECT encode(asset_id, 'hex') AS "assetId", symbol, denomination FROM assets
      WHERE network = $1 AND asset_id = ANY ($2::bytea[])`,
    values: [network, arrayLiteral('bytea', assetIds)],
  });
  return new Map(rows.map(({ assetId, ...asset }) => [assetId, asset]));
}

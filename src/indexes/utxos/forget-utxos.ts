import type { Id } from '../../avalanche/platformvm/ids.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Transaction } from '../../platform/database/database.js';
import { partitionOf } from '../../platform/database/chains.js';
import { arrayLiteral } from '../../platform/database/array-literal.js';
import { lockCrossChainUtxos } from './cross-chain-lock.js';
import { isListingOf, LISTED_ADDRESSES, LISTING_KEY, markListings } from './listings.js';
import type { UtxoChain } from './utxo.js';
import { columnNames, columnsOf } from '../../platform/database/entity-columns.js';
import { CONSUMPTION, CREATION } from './utxo-columns.js';
import { UtxoEntity } from './utxo.entities.js';

/** By UTXO id, of what a chain has recorded. */
export interface RecordedUtxos {
  readonly created: readonly Id[];
  readonly consumed: readonly Id[];
}

const COLUMNS = columnNames(columnsOf(UtxoEntity).columns);

const defaults = (columns: readonly { readonly name: string }[]): string =>
  columns.map(({ name }) => `${name} = DEFAULT`).join(', ');

/** Forgets some records of a chain; what other chains know of the same UTXOs stays. */
export async function forgetUtxos(
  transaction: Transaction,
  chain: UtxoChain,
  { created, consumed }: RecordedUtxos,
): Promise<void> {
  await lockCrossChainUtxos(transaction, chain.network);
  if (created.length > 0) await forgetCreated(transaction, chain, created);
  if (consumed.length > 0) await forgetConsumed(transaction, chain, consumed);
}

async function forgetCreated(
  transaction: Transaction,
  { network, chainId }: UtxoChain,
  ids: readonly Id[],
): Promise<void> {
  const values = [network, arrayLiteral('bytea', ids), Buffer.from(chainId, 'hex')];
  const isMeant = 'network = $1 AND utxo_id = ANY($2::bytea[]) AND created_on_chain_id = $3';
  await transaction.execute({
    text: `DELETE FROM utxo_listings AS listing
       USING (
         SELECT ${LISTING_KEY} FROM utxos CROSS JOIN ${LISTED_ADDRESSES}
         WHERE ${isMeant} AND block_time IS NOT NULL
       ) AS entry
       WHERE listing.network = $1 AND listing.is_spent = ANY('{t,f}') AND ${isListingOf('listing', 'entry')}`,
    values,
  });
  await transaction.execute({
    text: `DELETE FROM utxos WHERE ${isMeant} AND consuming_tx_id IS NULL`,
    values,
  });
  await transaction.execute({
    text: `UPDATE utxos SET ${defaults(CREATION.columns)} WHERE ${isMeant}`,
    values,
  });
}

async function forgetConsumed(
  transaction: Transaction,
  { network, chainId, aliases }: UtxoChain,
  ids: readonly Id[],
): Promise<void> {
  const values = [network, arrayLiteral('bytea', ids), Buffer.from(chainId, 'hex')];
  const isMeant = 'network = $1 AND utxo_id = ANY($2::bytea[]) AND spendable_on_chain_id = $3';
  const listings = partitionOf('utxo_listings', network, aliases.get(chainId));
  await transaction.execute({
    text: `WITH entry AS MATERIALIZED (
         SELECT ${LISTING_KEY}, NULL::bigint AS spent_height FROM utxos CROSS JOIN ${LISTED_ADDRESSES}
         WHERE ${isMeant} AND block_time IS NOT NULL AND consuming_tx_id IS NOT NULL
       )
       ${markListings(listings, { entries: 'entry', isSpent: false })}`,
    values,
  });
  await transaction.execute({ text: `DELETE FROM utxos WHERE ${isMeant} AND block_time IS NULL`, values });
  await transaction.execute({
    text: `UPDATE utxos SET ${defaults(CONSUMPTION.columns)} WHERE ${isMeant}`,
    values,
  });
}

/** To be locked before `forgetUtxosOf`, last. */
export function utxoTables(network: NetworkName): string[] {
  return [partitionOf('utxo_listings', network), partitionOf('utxos', network)];
}

/**
 * Deletes everything that a chain has recorded. The rest (for a single chain, nothing) is set aside and written again: one pass
 * over the tables, where deleting row by row would take as long as indexing. Readers and writers of UTXOs of the network
 * wait in the meantime: the caller has locked `utxoTables`, and sets no limit to a statement's time.
 */
export async function forgetUtxosOf(
  transaction: Transaction,
  { network, chainId, aliases }: UtxoChain,
): Promise<void> {
  const [utxos, listings] = [partitionOf('utxos', network), partitionOf('utxo_listings', network)];
  const run = (text: string, values: readonly unknown[] = []): Promise<number> =>
    transaction.execute({ text, values });
  await run(`SELECT ${WHOLE_TABLES.map((setting) => `set_config(${setting}, true)`).join(', ')}`);
  await run('CREATE TEMP TABLE kept_utxos (LIKE utxos INCLUDING DEFAULTS) ON COMMIT DROP');
  await run('CREATE TEMP TABLE kept_listings (LIKE utxo_listings) ON COMMIT DROP');
  const ours = Buffer.from(chainId, 'hex');
  await run(
    `INSERT INTO kept_utxos (${COLUMNS}) SELECT ${COLUMNS} FROM ${utxos}
     WHERE CASE WHEN created_on_chain_id = $1 THEN spendable_on_chain_id <> $1 AND consuming_tx_id IS NOT NULL
       ELSE spendable_on_chain_id <> $1 OR block_time IS NOT NULL END`,
    [ours],
  );
  await run(`UPDATE kept_utxos SET ${defaults(CREATION.columns)} WHERE created_on_chain_id = $1`, [ours]);
  await run(`UPDATE kept_utxos SET ${defaults(CONSUMPTION.columns)} WHERE spendable_on_chain_id = $1`, [
    ours,
  ]);
  await run(
    `INSERT INTO kept_listings SELECT listing.* FROM ${listings} AS listing
     JOIN kept_utxos AS kept ON kept.utxo_id = listing.utxo_id AND kept.block_time IS NOT NULL`,
  );
  await run(
    `UPDATE kept_listings AS listing SET is_spent = false, spent_height = NULL FROM kept_utxos AS kept
     WHERE kept.utxo_id = listing.utxo_id AND kept.spendable_on_chain_id = $1 AND listing.chain = $2`,
    [ours, aliases.get(chainId)],
  );
  await run(`TRUNCATE ${utxos}, ${listings}`);
  await run(`INSERT INTO utxos (${COLUMNS}) SELECT ${COLUMNS} FROM kept_utxos`);
  await run('INSERT INTO utxo_listings SELECT * FROM kept_listings');
}

/** Against those of a transaction that finds its rows by their keys. */
const WHOLE_TABLES = ["'enable_seqscan', 'on'", "'enable_hashjoin', 'on'"];

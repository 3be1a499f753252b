import { arrayLiteral } from '../../platform/database/array-literal.js';
import type { ChainAliases } from './utxo.js';

/** One row per list: the whole chain's (the empty address) and that of each owner. */
export const LISTED_ADDRESSES = "unnest(array_prepend(''::bytea, owner_addresses)) AS address";

/**
 * Lists the rows of `utxos`, whose creation is known, where they were created and where they can be spent. What leaves for another
 * chain is spent in the list of the one that created it. Parameters: the network, and `letterLiterals`. Sorted, because neighbours
 * in the indexes are written faster one after the other.
 */
export function insertListings(utxos: string): string {
  return `INSERT INTO utxo_listings
         (network, chain, address, is_spent, block_time, amount, utxo_id, asset_id, threshold, is_reward, spent_height)
       SELECT $1, letter, address, consuming_tx_id IS NOT NULL OR chain_id <> spendable_on_chain_id, block_time, amount,
         utxo_id, asset_id, owner_threshold, reward_type IS NOT NULL,
         CASE WHEN chain_id = spendable_on_chain_id THEN consuming_block_height END
       FROM ${utxos}
       JOIN unnest($2::bytea[], $3::text[]) AS chains (chain_id, letter)
         ON chain_id IN (created_on_chain_id, spendable_on_chain_id)
       CROSS JOIN ${LISTED_ADDRESSES}
       ORDER BY address, block_time`;
}

/** With `is_spent`, what every index of the listings consists of. */
const KEY_COLUMNS = ['asset_id', 'address', 'block_time', 'amount', 'utxo_id'];
export const LISTING_KEY = KEY_COLUMNS.join(', ');

export function isListingOf(listing: string, entry: string): string {
  return KEY_COLUMNS.map((column) => `${listing}.${column} = ${entry}.${column}`).join(' AND ');
}

/** The columns that `insertListings` reads. */
export const LISTED_COLUMNS =
  'utxo_id, asset_id, amount, block_time, owner_threshold, owner_addresses, created_on_chain_id, spendable_on_chain_id, reward_type, consuming_tx_id, consuming_block_height';

/**
 * Updates in the listings of `entries` (LISTING_KEY, `spent_height`) whether they are spent. OFFSET keeps the look-up by an index, one entry
 * at a time: whichever the planner takes, all of its columns are known.
 */
export function markListings(
  listings: string,
  { entries, isSpent }: { entries: string; isSpent: boolean },
): string {
  return `UPDATE ${listings} AS listing SET is_spent = ${isSpent}, spent_height = target.spent_height
       FROM (
         SELECT found.place, entry.spent_height FROM ${entries} AS entry
         CROSS JOIN LATERAL (
           SELECT ctid AS place FROM ${listings} AS candidate
           WHERE candidate.is_spent = ${!isSpent} AND ${isListingOf('candidate', 'entry')}
           OFFSET 0
         ) AS found
       ) AS target
       WHERE listing.ctid = target.place`;
}

export function aliasLiterals(aliases: ChainAliases): string[] {
  return [arrayLiteral('bytea', [...aliases.keys()]), arrayLiteral('text', [...aliases.values()])];
}

import type { Id, ShortId } from '../../avalanche/platformvm/ids.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Queryable, Transaction } from '../../platform/database/database.js';
import { P_CHAIN, partitionOf, X_CHAIN } from '../../platform/database/chains.js';
import { arrayLiteral } from '../../platform/database/array-literal.js';
import { LISTED_ADDRESSES } from './listings.js';

/** An export to the C-chain of which its index does not know whether it has been imported. */
export interface UncheckedUtxo {
  readonly id: Id;
  /** UNIX seconds. */
  readonly blockTime: string;
  /** One of its owners. */
  readonly owner: ShortId;
  readonly sourceChainId: Id;
}

export type UncheckedPlace = Pick<UncheckedUtxo, 'id' | 'blockTime'>;

export interface UncheckedPage {
  readonly unchecked: readonly UncheckedUtxo[];
  /** Of the last unspent UTXO of the page, checked or not; undefined at the end of the list. */
  readonly end: UncheckedPlace | undefined;
}

/**
 * Of a page of the C-chain's unspent UTXOs, the oldest after a place in their list: those that were created elsewhere before
 * `since` and not checked at `fromHeight` or later. A page takes milliseconds, however many have been checked.
 */
export async function findUncheckedUtxos(
  database: Queryable,
  {
    network,
    since,
    fromHeight,
    after,
    limit,
  }: {
    readonly network: NetworkName;
    readonly since: bigint;
    readonly fromHeight: bigint;
    readonly after: UncheckedPlace | undefined;
    readonly limit: number;
  },
): Promise<UncheckedPage> {
  const rows = await database.query<UncheckedUtxo & { isUnchecked: boolean }>({
    text: `WITH page AS MATERIALIZED (
        SELECT utxo_id, block_time FROM ${partitionOf('utxo_listings', network, 'C')}
         WHERE address = '' AND NOT is_spent AND block_time < $2 AND (block_time, utxo_id) > ($4, $5)
         ORDER BY block_time, utxo_id LIMIT $6
      )
      SELECT encode(page.utxo_id, 'hex') AS id, page.block_time AS "blockTime", encode(u.owner_addresses[1], 'hex') AS owner,
        encode(u.created_on_chain_id, 'hex') AS "sourceChainId",
        u.created_on_chain_id <> u.spendable_on_chain_id AND u.owner_addresses <> '{}' AND NOT EXISTS (
          SELECT FROM utxo_checks k WHERE k.network = $1 AND k.utxo_id = page.utxo_id AND k.address = '' AND k.height >= $3
        ) AS "isUnchecked"
      FROM page JOIN ${partitionOf('utxos', network)} u ON u.network = $1 AND u.utxo_id = page.utxo_id
      ORDER BY page.block_time, page.utxo_id`,
    values: [network, since, fromHeight, after?.blockTime ?? -1, Buffer.from(after?.id ?? '', 'hex'), limit],
  });
  return { unchecked: rows.filter(({ isUnchecked }) => isUnchecked), end: rows.at(-1) };
}

/** Of the P- and X-chain the block that is furthest back, as their indexes are (UNIX seconds): later ones bring no older UTXO. */
export async function findSourcesTime(database: Queryable, network: NetworkName): Promise<bigint> {
  const [row] = await database.query<{ chains: number; time: string }>({
    text: 'SELECT count(*)::int AS chains, min(block_time) AS time FROM index_checkpoints WHERE network = $1 AND chain IN ($2, $3)',
    values: [network, P_CHAIN, X_CHAIN],
  });
  return row?.chains === 2 ? BigInt(row.time) : 0n;
}

/**
 * Answers of a node, which had executed the block of this height, about them. Those that it would let be imported are listed as
 * `utxo_listings` lists them; of the others it is remembered that they need not be asked for again.
 */
export async function recordUtxoChecks(
  transaction: Transaction,
  {
    network,
    height,
    checked,
    unspent,
  }: {
    readonly network: NetworkName;
    readonly height: bigint;
    readonly checked: readonly Id[];
    readonly unspent: ReadonlySet<Id>;
  },
): Promise<void> {
  const ids = arrayLiteral('bytea', checked);
  await transaction.execute({
    text: 'DELETE FROM utxo_checks WHERE network = $1 AND utxo_id = ANY($2::bytea[]) AND height < $3',
    values: [network, ids, height],
  });
  await transaction.execute({
    text: `INSERT INTO utxo_checks
        (network, utxo_id, address, height, is_spent, block_time, amount, asset_id, threshold)
      SELECT $1, u.utxo_id, address, $4, each.is_spent, block_time, amount, asset_id, owner_threshold
      FROM unnest($2::bytea[], $3::boolean[]) AS each (utxo_id, is_spent)
      JOIN ${partitionOf('utxos', network)} u ON u.network = $1 AND u.utxo_id = each.utxo_id AND u.block_time IS NOT NULL
      CROSS JOIN ${LISTED_ADDRESSES}
      WHERE address = '' OR NOT each.is_spent
      ORDER BY u.utxo_id, address
      ON CONFLICT DO NOTHING`,
    values: [
      network,
      ids,
      arrayLiteral(
        'boolean',
        checked.map((id) => !unspent.has(id)),
      ),
      height,
    ],
  });
}

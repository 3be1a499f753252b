import { evmBytesOf, type Hash } from '../../avalanche/evm/rpc/hex-values.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Transaction } from '../../platform/database/database.js';
import { columnsOf } from '../../platform/database/entity-columns.js';
import { columnLiterals, Table, unnest } from '../../platform/database/table.js';
import { IcmListing } from './entities/icm.entities.js';

const PLACE = columnsOf(IcmListing, 'address', 'sortTime', 'messageId');

/** A place in the list of an address. */
type Place = Pick<IcmListing, 'address' | 'sortTime' | 'messageId'>;

const LISTINGS = new Table(IcmListing, { without: ['untilVersion'] });
const KEY = PLACE.columns.map(({ name }) => name);
const isAtPlace = (row: string): string =>
  ['network = $1', ...KEY.map((name) => `${name} = place.${name}`)]
    .map((condition) => `${row}.${condition}`)
    .join(' AND ');

/**
 * Where messages could stand, as their sources and as their destinations report it: with the contracts that send and receive them, and
 * with the people for whom these do it.
 */
export const sides = (ids: string, ofDeliveries = 'true'): string => `
  SELECT DISTINCT address, block_time AS sort_time, message_id FROM (
    SELECT message_id, block_time, ARRAY[from_address, to_address] || parties || ARRAY(
             SELECT sender FROM icm_senders AS claim WHERE claim.network = $1 AND claim.message_id = sent.message_id
                AND claim.chain_key = sent.chain_key AND claim.contract = sent.from_address) AS addresses
      FROM icm_sends AS sent WHERE network = $1 AND message_id = ANY (${ids})
    UNION ALL
    SELECT message_id, block_time, ARRAY[from_address, to_address] || parties FROM icm_deliveries AS delivery
     WHERE network = $1 AND message_id = ANY (${ids}) AND ${ofDeliveries}
  ) AS message CROSS JOIN LATERAL unnest(addresses) AS party (address)`;

/**
 * Where they do stand: the source's report counts before the destination's. A look-up for each, where the planner, which takes
 * a table that has just begun to fill for empty, would join all of it.
 */
const places = (ids: string): string =>
  sides(
    ids,
    `(SELECT true FROM icm_sends AS sent
       WHERE sent.network = $1 AND sent.message_id = delivery.message_id) IS NULL`,
  );

/**
 * Updates the lists for what `change` does to these messages. A message never changes its position, unless its source becomes
 * known after its destination, or the first one of several sends after a later one.
 *
 * One at a time: two chains may report the two sides of a message at once, and each must see the other's.
 */
export async function relist(
  transaction: Transaction,
  network: NetworkName,
  ids: readonly Hash[],
  change: () => Promise<void>,
): Promise<void> {
  if (ids.length === 0) return change();
  const version = await nextVersion(transaction);
  const before = await findPlaces(transaction, network, ids);
  await change();
  const after = await findPlaces(transaction, network, ids);
  await leave(transaction, network, version, without(before, after));
  await enter(transaction, network, version, without(after, before));
}

/** Holds the lists until the transaction ends. */
async function nextVersion(transaction: Transaction): Promise<string> {
  const [row] = await transaction.query<{ version: string }>({
    text: 'UPDATE icm_list_version SET version = version + 1 RETURNING version',
    values: [],
  });
  if (row === undefined) throw new Error('icm_list_version has no row');
  return row.version;
}

async function findPlaces(
  transaction: Transaction,
  network: NetworkName,
  ids: readonly Hash[],
): Promise<Map<string, Place>> {
  const rows = await transaction.query({
    text: places('$2::bytea[]'),
    values: [network, ids.map(evmBytesOf)],
  });
  const found = rows.map(PLACE.read);
  return new Map(found.map((place) => [`${place.address} ${place.sortTime} ${place.messageId}`, place]));
}

function without(some: ReadonlyMap<string, Place>, others: ReadonlyMap<string, Place>): Place[] {
  return [...some].flatMap(([key, place]) => (others.has(key) ? [] : [place]));
}

async function leave(
  transaction: Transaction,
  network: NetworkName,
  version: string,
  left: readonly Place[],
): Promise<void> {
  if (left.length === 0) return;
  // Of the times that a message stood there, the last two are kept, however often a chain's messages are made again.
  await transaction.execute({
    text: `WITH place AS (SELECT * FROM ${unnest(PLACE.columns, 3)}), earlier AS (
             DELETE FROM icm_listings AS listing USING place
              WHERE ${isAtPlace('listing')} AND listing.until_version < (
                SELECT max(until_version) FROM icm_listings AS last
                 WHERE ${isAtPlace('last')})
           )
           UPDATE icm_listings AS listing SET until_version = $2 FROM place
            WHERE ${isAtPlace('listing')} AND listing.until_version IS NULL`,
    values: [network, version, ...columnLiterals(PLACE.columns, left)],
  });
}

async function enter(
  transaction: Transaction,
  network: NetworkName,
  version: string,
  entered: readonly Place[],
): Promise<void> {
  await LISTINGS.insert(
    transaction,
    network,
    entered.map((place) => ({ ...place, sinceVersion: BigInt(version) })),
  );
}

import type { Queryable } from '../../../platform/database/database.js';

/** Of each kind of thing that an audit compares. */
export const SAMPLE_SIZE = 8;

/** Addresses with more are not compared: a node gives a thousand at once, and anybody can make another one own many. */
const MAX_UTXOS = 10_000;

const LARGE_TABLE_ROWS = 100_000;
/** Share of a large table that a sample is drawn from; small tables are read as a whole. */
const SAMPLE_PERCENT = 0.5;

/** Clause behind the table's name where random rows are chosen. */
export async function tableSample(database: Queryable, table: string): Promise<string> {
  const [size] = await database.query<{ rows: string }>({
    text: 'SELECT reltuples::bigint AS rows FROM pg_class WHERE oid = to_regclass($1)',
    values: [table],
  });
  return Number(size?.rows ?? 0) > LARGE_TABLE_ROWS ? `TABLESAMPLE SYSTEM (${SAMPLE_PERCENT})` : '';
}

/** Condition on an address, as SQL: whether it has so few unspent entries in a partition of `utxo_listings` that they can be compared. */
export function ownsFew(address: string, listings: string): string {
  return `(
         SELECT count(*) FROM (
           SELECT FROM ${listings} l WHERE l.address = ${address} AND NOT l.is_spent LIMIT ${MAX_UTXOS + 1}
         ) AS own
       ) <= ${MAX_UTXOS}`;
}

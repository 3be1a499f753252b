import type { Queryable } from '../../../platform/database/database.js';

/** Of each kind of thing that an audit compares. */
export const SAMPLE_SIZE = 8;

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

import type { Queryable } from './database.js';

const BYTES_OF_UNIT: ReadonlyMap<string | null, number> = new Map([
  ['MB', 2 ** 20],
  ['8kB', 8_192],
  [null, 1],
]);
/**
 * Too small for the partitions and the backfill of a large chain: what Postgres comes with. Some of it initdb writes into its file as if
 * somebody had set it.
 */
const DEFAULTS: ReadonlyMap<string, number> = new Map([
  ['max_locks_per_transaction', 64],
  ['max_wal_size', 2 ** 30],
  ['shared_buffers', 128 * 2 ** 20],
]);

/** Settings of the server that nobody has raised above what Postgres comes with. */
export async function findSmallSettings(queryable: Queryable): Promise<string[]> {
  const rows = await queryable.query<{ name: string; setting: string; unit: string | null }>({
    text: 'SELECT name, setting, unit FROM pg_settings WHERE name = ANY ($1) ORDER BY name',
    values: [[...DEFAULTS.keys()]],
  });
  return rows
    .filter(({ name, setting, unit }) => {
      const value = Number(setting) * (BYTES_OF_UNIT.get(unit) ?? Infinity);
      return value <= (DEFAULTS.get(name) ?? 0);
    })
    .map(({ name }) => name);
}

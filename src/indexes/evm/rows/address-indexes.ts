import type { Database, Queryable, Transaction } from '../../../platform/database/database.js';

/**
 * Where exports find an account's rows. They belong to the single partitions, because writing them row by row, at random places,
 * is more than half of what a backfill costs Postgres: where one is still filling they are made at the end, sorted and a quarter
 * smaller.
 */
const COLUMNS = [
  ['evm_transactions', 'from_address'],
  ['evm_transactions', 'to_address'],
  ['evm_transactions', 'fee_recipient'],
  ['evm_transfers', 'from_address'],
  ['evm_transfers', 'to_address'],
  ['evm_internal_transfers', 'from_address'],
  ['evm_internal_transfers', 'to_address'],
  ['evm_atomic_transfers', 'address'],
] as const;

/** On most chains fees go to one address without an owner: a query for that address reads the whole range anyway. */
const NOT_BURNT = `WHERE fee_recipient <> '\\x0100000000000000000000000000000000000000'`;

const MEMORY = "SET LOCAL maintenance_work_mem = '128MB'";

export interface AddressIndex {
  /** Postgres cuts what is longer than 63 bytes, here and where it looks for it; nothing becomes equal by that. */
  readonly name: string;
  readonly definition: string;
}

/** Of the partitions with this end of their names. */
export function addressIndexes(suffix: string): AddressIndex[] {
  return COLUMNS.map(([table, column]) => {
    const name = `${table}${suffix}_${column}_height_idx`;
    const condition = column === 'fee_recipient' ? NOT_BURNT : '';
    return { name, definition: `ON ${table}${suffix} (${column}, height) ${condition}` };
  });
}

export async function findMissing(
  queryable: Queryable,
  indexes: readonly AddressIndex[],
): Promise<ReadonlySet<string>> {
  const rows = await queryable.query<{ name: string }>({
    text: 'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
    values: [indexes.map(({ name }) => name)],
  });
  return new Set(rows.map(({ name }) => name));
}

/** On an empty table this takes no time; a full one cannot be written by others in the meantime. */
export async function makeIndex(transaction: Transaction, { name, definition }: AddressIndex): Promise<void> {
  await transaction.execute({ text: `CREATE INDEX IF NOT EXISTS ${name} ${definition}`, values: [] });
}

/** As `makeIndex`, with the time and the memory that a full table needs. */
export async function buildIndex(database: Database, index: AddressIndex): Promise<void> {
  await database.transaction(
    async (transaction) => {
      await transaction.execute({ text: MEMORY, values: [] });
      // Of two processes with the same wish one waits, and then finds it fulfilled.
      await transaction.query({
        text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
        values: [`evm-index:${index.name}`],
      });
      await makeIndex(transaction, index);
    },
    { statementTimeoutMs: 0 },
  );
}

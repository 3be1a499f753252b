import type { Address } from '../../../avalanche/evm/rpc/hex-values.js';
import type { Transaction } from '../../../platform/database/database.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import type { EvmTable } from './evm-tables.js';

/**
 * Indexes belong to the single partitions, because writing them row by row, at random places, is more than half of what a backfill
 * costs Postgres: where blocks are filled in beside the tables they are made at the end, sorted and full.
 *
 * Heights repeat, so that an index of them takes seven bytes per row, where a primary key takes forty. Rows need none: a block's are
 * written together with its row in evm_blocks, which has one.
 */
const BY_HEIGHT: readonly EvmTable[] = ['evm_transactions', 'evm_transfers'];

/** Columns by which exports find an account's rows. */
const ADDRESSES: Readonly<Record<EvmTable, readonly string[]>> = {
  evm_blocks: [],
  evm_transactions: ['from_address', 'to_address', 'fee_recipient'],
  evm_transfers: ['from_address', 'to_address'],
  evm_internal_transfers: ['from_address', 'to_address'],
};

/**
 * Indexes have four bytes of an address (the last, as the first are often chosen to be zeros), and heights by the four thousand: entries are
 * half as long, and those of a busy address become one. Whoever uses them compares the addresses and heights themselves as well.
 */
const KEY_BYTES = 4;
const HEIGHT_BITS = 12n;

/** Of one partition. Postgres chooses their names. */
export async function makeIndexes(
  transaction: Transaction,
  table: EvmTable,
  partition: string,
): Promise<void> {
  const byHeight = BY_HEIGHT.includes(table) ? ['(height)'] : [];
  const byAddress = ADDRESSES[table].map((column) => `(${keyOf(column)}, ${spanOf('height')})`);
  for (const columns of [...byHeight, ...byAddress]) {
    // Null, as for most chains' fees, is not looked for by it.
    const condition = columns.includes('fee_recipient') ? 'WHERE fee_recipient IS NOT NULL' : '';
    await transaction.execute({
      text: `CREATE INDEX ON ${partition} ${columns} WITH (fillfactor = 100) ${condition}`,
      values: [],
    });
  }
}

/** A condition that is true of all rows with one of the addresses, and which the indexes know. */
export function mayHave(column: string, addresses: readonly Address[]): string {
  const keys = new Set(
    addresses.map((address) => Buffer.from(address.slice(-2 * KEY_BYTES), 'hex').readInt32BE()),
  );
  return `${keyOf(column)} = ANY (ARRAY[${[...keys].join(', ')}])`;
}

/** The same for heights. */
export function mayBeWithin(column: string, { from, to }: HeightRange): string {
  return `${spanOf(column)} BETWEEN ${from >> HEIGHT_BITS} AND ${to >> HEIGHT_BITS}`;
}

/** The last height of a range that ends where the indexes' heights do, if one does: no entries are read twice then. */
export function endOfIndexed({ from, to }: HeightRange): bigint {
  const end = (((to + 1n) >> HEIGHT_BITS) << HEIGHT_BITS) - 1n;
  return end < from ? to : end;
}

function keyOf(column: string): string {
  return `(substr(${column}, ${20 - KEY_BYTES + 1})::int)`;
}

function spanOf(column: string): string {
  return `((${column} >> ${HEIGHT_BITS})::int)`;
}

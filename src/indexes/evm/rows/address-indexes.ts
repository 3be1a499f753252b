import type { Transaction } from '../../../platform/database/database.js';
import type { EvmTable } from './evm-tables.js';

/**
 * Where exports find an account's rows. They belong to the single partitions, because writing them row by row, at random places, is
 * more than half of what a backfill costs Postgres: where blocks are filled in beside the tables they are made at the end, sorted and a
 * quarter smaller.
 */
const COLUMNS: Readonly<Record<EvmTable, readonly string[]>> = {
  evm_blocks: [],
  evm_transactions: ['from_address', 'to_address', 'fee_recipient'],
  evm_transfers: ['from_address', 'to_address'],
  evm_internal_transfers: ['from_address', 'to_address'],
};

/** On most chains fees go to one address without an owner: a query for that address reads the whole range anyway. */
const NOT_BURNT = `WHERE fee_recipient <> '\\x0100000000000000000000000000000000000000'`;

/** Of one partition. Postgres chooses their names. */
export async function makeAddressIndexes(
  transaction: Transaction,
  table: EvmTable,
  partition: string,
): Promise<void> {
  for (const column of COLUMNS[table]) {
    const condition = column === 'fee_recipient' ? NOT_BURNT : '';
    await transaction.execute({
      text: `CREATE INDEX ON ${partition} (${column}, height) ${condition}`,
      values: [],
    });
  }
}

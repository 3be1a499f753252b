import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import { copyTo } from '../../../platform/database/copy-to.js';
import type { Transaction } from '../../../platform/database/database.js';
import { columnsOf, type EntityClass, keyColumnsOf } from '../../../platform/database/entity-columns.js';
import { EvmBlockEntity, EvmTransactionEntity } from '../entities/evm-block.entities.js';
import { EvmAtomicTransfer, EvmInternalTransfer, EvmTransfer } from '../entities/evm-transfer.entities.js';
import type { CopyText } from './copy-text.js';
import type { CopiedTable } from './evm-tables.js';

/** Rows are written in the order in which the entities have their columns. */
const ENTITIES: Readonly<Record<CopiedTable, EntityClass>> = {
  evm_blocks: EvmBlockEntity,
  evm_transactions: EvmTransactionEntity,
  evm_transfers: EvmTransfer,
  evm_internal_transfers: EvmInternalTransfer,
  evm_atomic_transfers: EvmAtomicTransfer,
};

/** Names of a table's columns in the order in which rows are written: that of the entity, which begins with the key. */
export function columnsOfTable(table: CopiedTable): {
  readonly names: readonly string[];
  readonly keys: number;
} {
  const entity = ENTITIES[table];
  return { names: columnsOf(entity).columns.map(({ name }) => name), keys: keyColumnsOf(entity).length };
}

/** Writes rows within a transaction; `into` is a detached table of the same shape. */
export async function copyRows(
  transaction: Transaction,
  table: CopiedTable,
  rows: CopyText,
  into: string = table,
): Promise<void> {
  if (rows.isEmpty) return;
  const copy = from(`COPY ${into} (${columnsOfTable(table).names.join(', ')}) FROM STDIN`);
  const sink = transaction.connection.query(Object.assign(copy, transaction.timeout));
  // As one piece: as much of it as the socket takes is under way while the next blocks are parsed, not a chunk at a turn.
  await pipeline(Readable.from([Buffer.concat(rows.chunks)]), sink);
}

/** A block's rows as they would be written. */
export async function readRows(
  transaction: Transaction,
  table: CopiedTable,
  { chainKey, height }: { readonly chainKey: bigint; readonly height: bigint },
): Promise<string> {
  const names = columnsOfTable(table).names.join(', ');
  const rows = `SELECT ${names} FROM ${table} WHERE chain_key = ${chainKey} AND height = ${height}`;
  await transaction.lockRead(rows);
  return (await buffer(copyTo(transaction, `COPY (${rows}) TO STDOUT`))).toString('latin1');
}

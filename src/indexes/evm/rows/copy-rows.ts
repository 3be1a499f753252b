import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import type { Transaction } from '../../../platform/database/database.js';
import { columnNames, columnsOf, type EntityClass } from '../../../platform/database/entity-columns.js';
import { EvmBlockEntity, EvmTransactionEntity } from '../entities/evm-block.entities.js';
import { EvmAtomicTransfer, EvmInternalTransfer, EvmTransfer } from '../entities/evm-transfer.entities.js';
import type { CopyText } from './copy-text.js';
import type { CopiedTable } from './evm-tables.js';

/** Rows are written in the order in which the entities have their columns. */
export const ENTITIES: Readonly<Record<CopiedTable, EntityClass>> = {
  evm_blocks: EvmBlockEntity,
  evm_transactions: EvmTransactionEntity,
  evm_transfers: EvmTransfer,
  evm_internal_transfers: EvmInternalTransfer,
  evm_atomic_transfers: EvmAtomicTransfer,
};

/** Writes rows within a transaction; `into` is a detached table of the same shape. */
export async function copyRows(
  transaction: Transaction,
  table: CopiedTable,
  rows: CopyText,
  into: string = table,
): Promise<void> {
  if (rows.isEmpty) return;
  const copy = from(`COPY ${into} (${columnNames(columnsOf(ENTITIES[table]).columns)}) FROM STDIN`);
  const sink = transaction.connection.query(Object.assign(copy, transaction.timeout));
  // As one piece: as much of it as the socket takes is under way while the next blocks are parsed and nothing else gets its turn.
  await pipeline(Readable.from([Buffer.concat(rows.chunks)]), sink);
}

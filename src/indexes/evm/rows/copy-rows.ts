import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import type { Transaction } from '../../../platform/database/database.js';
import { columnNames, columnsOf, type EntityClass } from '../../../platform/database/entity-columns.js';
import { EvmBlockEntity, EvmTransactionEntity } from '../entities/evm-block.entities.js';
import { EvmAtomicTransfer, EvmInternalTransfer, EvmTransfer } from '../entities/evm-transfer.entities.js';
import type { CopyText } from './copy-text.js';
import type { EvmTable } from './partitions.js';

/** Rows are written in the order in which the entities have their columns. */
const COLUMNS: Readonly<Record<EvmTable, string>> = {
  evm_blocks: namesOf(EvmBlockEntity),
  evm_transactions: namesOf(EvmTransactionEntity),
  evm_transfers: namesOf(EvmTransfer),
  evm_internal_transfers: namesOf(EvmInternalTransfer),
  evm_atomic_transfers: namesOf(EvmAtomicTransfer),
};

function namesOf(entity: EntityClass): string {
  return columnNames(columnsOf(entity).columns);
}

/** Writes rows within a transaction. */
export async function copyRows(transaction: Transaction, table: EvmTable, rows: CopyText): Promise<void> {
  if (rows.isEmpty) return;
  const copy = from(`COPY ${table} (${COLUMNS[table]}) FROM STDIN`);
  const sink = transaction.connection.query(Object.assign(copy, transaction.timeout));
  // As one piece: as much of it as the socket takes is under way while the next blocks are parsed and nothing else gets its turn.
  await pipeline(Readable.from([Buffer.concat(rows.chunks)]), sink);
}

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import type { Transaction } from '../../../platform/database/database.js';
import type { CopyText } from './copy-text.js';
import type { EvmTable } from './partitions.js';

/** In the order in which rows are written. */
const COLUMNS: Readonly<Record<EvmTable, string>> = {
  evm_blocks: 'chain_key, height, hash, block_time, needs_trace',
  evm_transactions:
    'chain_key, height, tx_index, block_time, tx_hash, from_address, to_address, is_creation, is_success, value, fee, fee_recipient, method_id',
  evm_transfers:
    'chain_key, height, position, tx_index, block_time, tx_hash, kind, log_index, batch_index, from_address, to_address, contract, token_id, amount, method_id',
  evm_internal_transfers:
    'chain_key, height, position, tx_index, block_time, tx_hash, kind, trace_path, from_address, to_address, contract, amount, method_id',
  evm_atomic_transfers:
    'chain_key, height, position, block_time, tx_hash, kind, address, asset_id, amount, blockchain_id',
};

/** Writes rows within a transaction. */
export async function copyRows(transaction: Transaction, table: EvmTable, rows: CopyText): Promise<void> {
  if (rows.isEmpty) return;
  const copy = from(`COPY ${table} (${COLUMNS[table]}) FROM STDIN`);
  const sink = transaction.connection.query(Object.assign(copy, transaction.timeout));
  // As one piece: as much of it as the socket takes is under way while the next blocks are parsed and nothing else gets its turn.
  await pipeline(Readable.from([Buffer.concat(rows.chunks)]), sink);
}

import type { EvmBlock, EvmTransaction } from '../avalanche/evm/block.js';
import { type BlockWithMovements, mayHaveInternalMovements } from '../avalanche/evm/movement-reader.js';
import type { Movement } from '../avalanche/evm/transfers.js';
import { type EvmChainRef, evmChainKey } from '../database/chains.js';
import { CopyText } from './copy-text.js';
import type { EvmTable } from './partitions.js';

/** In the order in which they are written below. */
export const COLUMNS: Readonly<Record<EvmTable, string>> = {
  evm_blocks: 'chain_key, height, hash, block_time, needs_trace',
  evm_transactions:
    'chain_key, height, tx_index, block_time, tx_hash, from_address, to_address, is_creation, is_success, value, fee, fee_recipient, method_id',
  evm_transfers:
    'chain_key, height, position, tx_index, block_time, tx_hash, kind, log_index, batch_index, from_address, to_address, contract, token_id, amount, method_id',
  evm_internal_transfers:
    'chain_key, height, position, tx_index, block_time, tx_hash, kind, trace_path, from_address, to_address, contract, amount, method_id',
  evm_atomic_transfers:
    'chain_key, height, position, block_time, tx_hash, kind, address, asset_id, amount, blockchain_id',
  evm_logs: 'chain_key, height, log_index, tx_index, block_time, tx_hash, address, topics, data, fee',
};

/** A batch's rows, by table. */
export function makeRows(
  chainRef: EvmChainRef,
  blocks: readonly BlockWithMovements[],
): Readonly<Record<EvmTable, CopyText>> {
  const rows = {
    evm_blocks: new CopyText(),
    evm_transactions: new CopyText(),
    evm_transfers: new CopyText(),
    evm_internal_transfers: new CopyText(),
    evm_atomic_transfers: new CopyText(),
    evm_logs: new CopyText(),
  };
  const chain = evmChainKey(chainRef).toString();
  for (const { block, movements } of blocks) {
    const place = { chain, height: block.height.toString(), time: block.timestampSeconds.toString() };
    rows.evm_blocks
      .text(chain)
      .text(place.height)
      .hex(block.hash)
      .text(place.time)
      .flag(mayHaveInternalMovements(block))
      .end();
    for (const transaction of block.transactions) {
      addTransaction(rows.evm_transactions, place, block, transaction);
    }
    const internal = movements.filter(({ kind }) => kind === 'INTERNAL');
    for (const [position, movement] of internal.entries()) {
      addInternalTransfer(rows.evm_internal_transfers, place, position, movement, block);
    }
    let position = 0;
    for (const movement of movements) {
      // Those of the first two are in the transaction's own row.
      if (movement.kind === 'NATIVE' || movement.kind === 'FEE' || movement.kind === 'INTERNAL') continue;
      addTransfer(rows.evm_transfers, place, position, movement, block);
      position += 1;
    }
  }
  return rows;
}

/** What all rows of a block have in common, as text. */
interface Place {
  readonly chain: string;
  readonly height: string;
  readonly time: string;
}

function addTransaction(rows: CopyText, place: Place, block: EvmBlock, transaction: EvmTransaction): void {
  const { createdContract } = transaction;
  rows
    .text(place.chain)
    .text(place.height)
    .text(transaction.index)
    .text(place.time)
    .hex(transaction.hash)
    .hex(transaction.from)
    .hex(transaction.to ?? createdContract)
    .flag(createdContract !== null)
    .flag(transaction.isSuccess)
    .text(transaction.value)
    .text(transaction.fee)
    .hex(block.feeRecipient)
    .hex(transaction.methodId)
    .end();
}

function addTransfer(
  rows: CopyText,
  place: Place,
  position: number,
  movement: Movement,
  { transactions }: EvmBlock,
): void {
  const transaction = transactions[movement.txIndex];
  if (transaction === undefined) throw new RangeError('a movement of no transaction');
  rows
    .text(place.chain)
    .text(place.height)
    .text(position)
    .text(movement.txIndex)
    .text(place.time)
    .hex(movement.txHash)
    .text(movement.kind)
    .text(movement.logIndex)
    .text(movement.batchIndex)
    .hex(movement.from)
    .hex(movement.to)
    .hex(movement.contract)
    .text(movement.tokenId)
    .text(movement.amount)
    .hex(transaction.methodId)
    .end();
}

function addInternalTransfer(
  rows: CopyText,
  place: Place,
  position: number,
  movement: Movement,
  { transactions }: EvmBlock,
): void {
  rows
    .text(place.chain)
    .text(place.height)
    .text(position)
    .text(movement.txIndex)
    .text(place.time)
    .hex(movement.txHash)
    .text(movement.kind)
    .text(movement.tracePath)
    .hex(movement.from)
    .hex(movement.to)
    .hex(movement.contract)
    .text(movement.amount)
    .hex(transactions[movement.txIndex]?.methodId ?? null)
    .end();
}

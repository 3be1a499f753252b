import type { EvmBlock, EvmTransaction } from '../avalanche/evm/block.js';
import type { Hex } from '../avalanche/evm/hex-values.js';
import type { BlockWithMovements } from '../avalanche/evm/movement-reader.js';
import type { Movement } from '../avalanche/evm/transfers.js';
import type { EvmTable } from './partitions.js';

/** Columns in the order of the lines below. */
export const COLUMNS: Readonly<Record<EvmTable, string>> = {
  evm_blocks: 'chain_id, height, hash, block_time',
  evm_transactions:
    'chain_id, height, tx_index, block_time, tx_hash, from_address, to_address, is_creation, is_success, value, fee, fee_recipient, method_id',
  evm_transfers:
    'chain_id, height, position, tx_index, block_time, tx_hash, kind, log_index, batch_index, trace_path, from_address, to_address, contract, token_id, amount, method_id',
};

/** What stands for null in COPY's text format. */
const NULL = '\\N';

/** Rows as lines of COPY's text format. All that is in them is numbers, hex and our own words: nothing needs escaping. */
export class RowText {
  readonly lines: Record<EvmTable, string[]> = { evm_blocks: [], evm_transactions: [], evm_transfers: [] };

  constructor(private readonly chainId: bigint) {}

  add({ block, movements }: BlockWithMovements): void {
    const place = `${this.chainId}\t${block.height}\t`;
    this.lines.evm_blocks.push(`${place}${bytes(block.hash)}\t${block.timestampSeconds}\n`);
    for (const transaction of block.transactions) {
      this.lines.evm_transactions.push(place + transactionLine(block, transaction));
    }
    let position = 0;
    for (const movement of movements) {
      if (movement.kind === 'NATIVE' || movement.kind === 'FEE') continue; // in the transaction's own row
      this.lines.evm_transfers.push(`${place}${position}\t${transferLine(block, movement)}`);
      position += 1;
    }
  }
}

function transactionLine(block: EvmBlock, transaction: EvmTransaction): string {
  const { createdContract } = transaction;
  return (
    `${transaction.index}\t${block.timestampSeconds}\t${bytes(transaction.hash)}\t${bytes(transaction.from)}\t` +
    `${bytes(transaction.to ?? createdContract)}\t${flag(createdContract !== null)}\t${flag(transaction.isSuccess)}\t` +
    `${transaction.value}\t${transaction.fee}\t${bytes(block.feeRecipient)}\t${bytes(transaction.methodId)}\n`
  );
}

function transferLine(block: EvmBlock, movement: Movement): string {
  const transaction = block.transactions[movement.txIndex];
  if (transaction === undefined) throw new RangeError('a movement of no transaction');
  return (
    `${movement.txIndex}\t${block.timestampSeconds}\t${bytes(movement.txHash)}\t${movement.kind}\t` +
    `${movement.logIndex ?? NULL}\t${movement.batchIndex ?? NULL}\t${movement.tracePath ?? NULL}\t` +
    `${bytes(movement.from)}\t${bytes(movement.to)}\t${bytes(movement.contract)}\t` +
    `${movement.tokenId ?? NULL}\t${movement.amount}\t${bytes(transaction.methodId)}\n`
  );
}

function bytes(hex: Hex | null): string {
  return hex === null ? NULL : `\\\\x${hex.slice(2)}`;
}

function flag(value: boolean): string {
  return value ? 't' : 'f';
}

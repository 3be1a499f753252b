import type { EvmBlock, EvmTransaction } from '../../../avalanche/evm/blocks/block.js';
import { BURN_ADDRESS } from '../../../avalanche/evm/rpc/hex-values.js';
import {
  type BlockWithMovements,
  mayHaveInternalMovements,
} from '../../../avalanche/evm/transfers/movement-reader.js';
import type { Movement } from '../../../avalanche/evm/transfers/transfers.js';
import { type EvmChainRef, evmChainKey } from '../../../platform/database/chains.js';
import { type EvmChain, isCChain } from '../../../platform/evm-chains/evm-chain.js';
import { atomicBatch } from './atomic-rows.js';
import { CopyText } from './copy-text.js';
import { BASE, type FacetBatch, type Rows } from '../facets/facets.js';
import { logBatches } from './log-rows.js';
import { logSetsOf } from '../sources/logs/log-sets.js';

/** Blocks in ascending order without a gap, as the rows of their facet. */
export function baseBatch(chain: EvmChainRef, blocks: readonly BlockWithMovements[]): FacetBatch {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('no blocks to write');
  return {
    facet: BASE,
    from: first.block.height,
    to: last.block.height,
    rowsPerBlock: blocks.reduce((sum, { movements }) => sum + movements.length, 0) / blocks.length,
    makeRows: (isWanted) =>
      baseRows(
        chain,
        blocks.filter(({ block }) => isWanted(block.height)),
      ),
  };
}

/** All that comes with the blocks. */
export function batchesOf(chain: EvmChain, blocks: readonly BlockWithMovements[]): readonly FacetBatch[] {
  const plain = blocks.map(({ block }) => block);
  return [
    baseBatch(chain, blocks),
    ...(isCChain(chain) ? [atomicBatch(chain, plain)] : []),
    ...logBatches(logSetsOf(chain), plain),
  ];
}

function baseRows(chainRef: EvmChainRef, blocks: readonly BlockWithMovements[]): Rows {
  const [blockRows, transactionRows, transferRows] = [new CopyText(), new CopyText(), new CopyText()];
  const chain = evmChainKey(chainRef).toString();
  for (const { block, movements } of blocks) {
    const place = { chain, height: block.height.toString(), time: block.timestampSeconds.toString() };
    blockRows
      .text(chain)
      .text(place.height)
      .hex(block.hash)
      .text(place.time)
      .flag(mayHaveInternalMovements(block))
      .end();
    for (const transaction of block.transactions) addTransaction(transactionRows, place, block, transaction);
    let position = 0;
    for (const movement of movements) {
      if (movement.kind === 'NATIVE' || movement.kind === 'FEE') continue; // in the transaction's own row
      addTransfer(transferRows, place, position, movement, block);
      position += 1;
    }
  }
  return new Map([
    ['evm_blocks', blockRows],
    ['evm_transactions', transactionRows],
    ['evm_transfers', transferRows],
  ]);
}

/** Columns that all rows of a block have in common, as text. */
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
    .flag(createdContract !== null)
    .flag(transaction.isSuccess)
    .text(place.time)
    .hex(transaction.hash)
    .hex(transaction.from)
    .hex(transaction.to ?? createdContract)
    .text(transaction.value)
    .text(transaction.fee)
    .hex(block.feeRecipient === BURN_ADDRESS ? null : block.feeRecipient)
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
  rows
    .text(place.chain)
    .text(place.height)
    .text(position)
    .text(movement.txIndex)
    .text(place.time)
    .text(movement.logIndex)
    .text(movement.batchIndex)
    .hex(movement.txHash)
    .text(movement.kind)
    .hex(movement.from)
    .hex(movement.to)
    .hex(movement.contract)
    .text(movement.tokenId)
    .text(movement.amount)
    .hex(transactions[movement.txIndex]?.methodId ?? null)
    .end();
}

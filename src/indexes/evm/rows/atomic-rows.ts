import { readAtomicTransfers } from '../../../avalanche/evm/blocks/atomic-transactions.js';
import type { EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import { type EvmChainRef, evmChainKey } from '../../../platform/database/chains.js';
import { writeAtomicTransactions } from './atomic-utxos.js';
import { CopyText } from './copy-text.js';
import { ATOMIC, type FacetBatch, type Rows } from '../facets/facets.js';

/** Blocks of a C-chain in ascending order without a gap, as the rows of their imports and exports. */
export function atomicBatch(chain: EvmChainRef, headers: readonly EvmHeader[]): FacetBatch {
  const [first, last] = [headers[0], headers.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('no blocks to write');
  return {
    facet: ATOMIC,
    from: first.height,
    to: last.height,
    rowsPerBlock: 1,
    makeRows: (isWanted) =>
      atomicRows(
        chain,
        headers.filter(({ height }) => isWanted(height)),
      ),
    writeMore: (transaction, isWanted) =>
      writeAtomicTransactions(
        transaction,
        chain,
        headers.filter(({ height }) => isWanted(height)),
      ),
  };
}

function atomicRows(chain: EvmChainRef, headers: readonly EvmHeader[]): Rows {
  const rows = new CopyText();
  const key = evmChainKey(chain);
  for (const header of headers) {
    for (const transfer of readAtomicTransfers(header)) {
      rows
        .text(key)
        .text(header.height)
        .text(transfer.position)
        .text(header.timestampSeconds)
        .hex(transfer.txHash)
        .text(transfer.kind)
        .hex(transfer.address)
        .hex(`0x${transfer.assetId}`)
        .text(transfer.amount)
        .hex(`0x${transfer.otherChainId}`)
        .end();
    }
  }
  return new Map([['evm_atomic_transfers', rows]]);
}

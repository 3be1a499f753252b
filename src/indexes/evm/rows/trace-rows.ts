import type { Hash, Hex } from '../../../avalanche/evm/rpc/hex-values.js';
import type { Movement } from '../../../avalanche/evm/transfers/transfers.js';
import { type EvmChainRef, evmChainKey } from '../../../platform/database/chains.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import { CopyText } from './copy-text.js';
import { type FacetBatch, type Rows, TRACES } from '../facets/facets.js';

/** A block on record, with what is needed to trace it. */
export interface TraceableBlock {
  readonly height: bigint;
  readonly timestampSeconds: number;
  /** In their order. */
  readonly transactions: readonly { hash: Hash; index: number; methodId: Hex | null }[];
}

export interface TracedBlock {
  readonly block: TraceableBlock;
  readonly movements: readonly Movement[];
}

/** The blocks among the heights that could have internal transfers; the others have none. */
export function traceBatch(
  chain: EvmChainRef,
  range: HeightRange,
  blocks: readonly TracedBlock[],
): FacetBatch {
  return {
    facet: TRACES,
    ...range,
    rowsPerBlock: 1,
    makeRows: (isWanted) =>
      traceRows(
        chain,
        blocks.filter(({ block }) => isWanted(block.height)),
      ),
  };
}

function traceRows(chain: EvmChainRef, blocks: readonly TracedBlock[]): Rows {
  const rows = new CopyText();
  const key = evmChainKey(chain);
  for (const { block, movements } of blocks) {
    for (const [position, movement] of movements.entries()) {
      rows
        .text(key)
        .text(block.height)
        .text(position)
        .text(movement.txIndex)
        .text(block.timestampSeconds)
        .hex(movement.txHash)
        .text(movement.kind)
        .text(movement.tracePath)
        .hex(movement.from)
        .hex(movement.to)
        .hex(movement.contract)
        .text(movement.amount)
        .hex(block.transactions[movement.txIndex]?.methodId ?? null)
        .end();
    }
  }
  return new Map([['evm_internal_transfers', rows]]);
}

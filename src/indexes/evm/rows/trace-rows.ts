import type { Hash, Hex } from '../../../avalanche/evm/rpc/hex-values.js';
import type { Movement } from '../../../avalanche/evm/transfers/transfers.js';
import { type EvmChainRef, evmChainKey } from '../../../platform/database/chains.js';
import type { Transaction } from '../../../platform/database/database.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import { IndexError } from '../../engine/following/index.error.js';
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
    writeMore: (transaction, isWanted) => refuseOutdated(transaction, chain, range, blocks, isWanted),
  };
}

/**
 * Blocks that were read again since they were looked up, as after a reset, are others, or more than were found then. Throws
 * CHECKPOINT_MOVED.
 */
async function refuseOutdated(
  transaction: Transaction,
  chain: EvmChainRef,
  { from, to }: HeightRange,
  blocks: readonly TracedBlock[],
  isWanted: (height: bigint) => boolean,
): Promise<void> {
  const traced = new Map(blocks.map(({ block }) => [block.height, block.transactions[0]?.hash]));
  const rows = await transaction.query<{ height: string; tx_hash: Buffer }>({
    text: `SELECT b.height, t.tx_hash FROM evm_blocks b
             JOIN evm_transactions t ON t.chain_key = b.chain_key AND t.height = b.height AND t.height BETWEEN $2 AND $3 AND t.tx_index = 0
            WHERE b.chain_key = $1 AND b.height BETWEEN $2 AND $3 AND b.needs_trace`,
    values: [evmChainKey(chain), from, to],
  });
  for (const { height, tx_hash } of rows) {
    const isTraced = traced.get(BigInt(height)) === `0x${tx_hash.toString('hex')}`;
    if (isTraced || !isWanted(BigInt(height))) continue;
    throw new IndexError('CHECKPOINT_MOVED', `block ${height} was read again while it was traced`);
  }
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

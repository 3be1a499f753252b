import type { Id } from '../platformvm/ids.js';
import type { AvmTransaction } from './transaction.js';

/** Type id of block.StandardBlock, the only kind there is (avalanchego v1.15.0 vms/avm/block/parser.go). */
export const STANDARD_BLOCK_TYPE_ID = 20;

/** A block of the X-chain since it became a line of blocks (Cortina). */
export interface AvmBlock {
  /** sha256 of the block's bytes, without a proposervm envelope. */
  readonly id: Id;
  /** Of block 0: the vertex that the time before ended with. */
  readonly parentId: Id;
  readonly height: bigint;
  /** UNIX seconds. */
  readonly time: bigint;
  readonly merkleRoot: Id;
  readonly transactions: readonly AvmTransaction[];
}

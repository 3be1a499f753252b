import { EvmError } from '../evm.error.js';
import {
  assertSettled,
  type EvmBlock,
  type EvmReceipt,
  type EvmSignedBlock,
  joinReceipts,
  type SettlingBlock,
  settlingBlock,
} from './block.js';

/** A block with its receipts, and what they have to be settled with. */
export interface JoinedBlock {
  readonly block: EvmBlock;
  readonly settling: SettlingBlock;
}

/** Throws EvmError when they do not belong together. */
export function joinBlock(block: EvmSignedBlock, receipts: readonly EvmReceipt[]): JoinedBlock {
  return { block: joinReceipts(block, receipts), settling: settlingBlock(block, receipts) };
}

/** Ascending by height. Throws EvmError `ROOT_MISMATCH` when a stretch of them has other receipts than its headers commit to. */
export function provedBlocks(found: readonly JoinedBlock[]): EvmBlock[] {
  for (let at = 0; at < found.length;) {
    const run = found.slice(at).filter(isNextTo);
    assertSettled(run.map(({ settling }) => settling));
    at += run.length;
  }
  return found.map(({ block }) => block);
}

/** Whether only blocks that are there, too, are between it and the first one. */
function isNextTo({ block }: JoinedBlock, index: number, all: readonly JoinedBlock[]): boolean {
  return block.height === (all[0]?.block.height ?? 0n) + BigInt(index);
}

/** A block and its receipts, joined as soon as both are there: of thousands of blocks nothing else has to be kept until all are read. */
export class BlockRead {
  private block: EvmSignedBlock | undefined;
  private receipts: readonly EvmReceipt[] | undefined;
  private joined: JoinedBlock | EvmError | undefined;

  takeBlock(block: EvmSignedBlock): true {
    this.block = block;
    return this.join();
  }

  takeReceipts(receipts: readonly EvmReceipt[]): true {
    this.receipts = receipts;
    return this.join();
  }

  /** Throws EvmError when they do not belong together. */
  get(): JoinedBlock {
    if (this.joined === undefined) throw new RangeError('an answer is missing');
    if (this.joined instanceof EvmError) throw this.joined;
    return this.joined;
  }

  private join(): true {
    const { block, receipts } = this;
    if (block === undefined || receipts === undefined) return true;
    try {
      this.joined = joinBlock(block, receipts);
    } catch (error) {
      if (!(error instanceof EvmError)) throw error;
      this.joined = error;
    }
    this.block = undefined;
    this.receipts = undefined;
    return true;
  }
}

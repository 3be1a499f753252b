import type { Id } from './ids.js';
import type { Transaction } from './transaction.js';

/** Type ids of the P-chain's codec for blocks (avalanchego v1.14.2 vms/platformvm/block/codec.go). */
export const BLOCK_TYPE_IDS = {
  ApricotProposal: 0,
  ApricotAbort: 1,
  ApricotCommit: 2,
  ApricotStandard: 3,
  ApricotAtomic: 4,
  BanffProposal: 29,
  BanffAbort: 30,
  BanffCommit: 31,
  BanffStandard: 32,
} as const;

export type BlockType = keyof typeof BLOCK_TYPE_IDS;

interface CommonBlock {
  /** sha256 of the block's bytes, without a proposervm envelope. */
  readonly id: Id;
  readonly parentId: Id;
  readonly height: bigint;
}

/** UNIX seconds; before Banff the time of a block is the chain's time and not in the block. */
interface TimedBlock extends CommonBlock {
  readonly time: bigint;
}

interface ApricotProposalBlock extends CommonBlock {
  readonly type: 'ApricotProposal';
  readonly transaction: Transaction;
}

/** The decision about the proposal in its parent. */
interface ApricotOptionBlock extends CommonBlock {
  readonly type: 'ApricotAbort' | 'ApricotCommit';
}

interface ApricotStandardBlock extends CommonBlock {
  readonly type: 'ApricotStandard';
  readonly transactions: readonly Transaction[];
}

interface ApricotAtomicBlock extends CommonBlock {
  readonly type: 'ApricotAtomic';
  readonly transaction: Transaction;
}

interface BanffProposalBlock extends TimedBlock {
  readonly type: 'BanffProposal';
  /** Decisions that hold whatever becomes of the proposal. */
  readonly transactions: readonly Transaction[];
  /** The proposal. */
  readonly transaction: Transaction;
}

interface BanffOptionBlock extends TimedBlock {
  readonly type: 'BanffAbort' | 'BanffCommit';
}

interface BanffStandardBlock extends TimedBlock {
  readonly type: 'BanffStandard';
  readonly transactions: readonly Transaction[];
}

export type ProposalBlock = ApricotProposalBlock | BanffProposalBlock;
export type OptionBlock = ApricotOptionBlock | BanffOptionBlock;

export type Block =
  ProposalBlock | OptionBlock | ApricotStandardBlock | ApricotAtomicBlock | BanffStandardBlock;

import type { Id } from '../ids.js';
import { id, list, uint64, variants, type ValueOf } from './field.js';
import { packWith, parseWith } from './bounded-blob.js';
import { sha256Id } from './sha256.js';
import { transaction } from './transaction.js';

const common = { parentId: id, height: uint64 };
const transactions = list(transaction);

/**
 * avalanchego v1.14.2 vms/platformvm/block/codec.go and *_block.go. Banff puts its time (UNIX seconds) before everything else; before, the
 * time of a block is the chain's and not in the block. `transaction` is the proposal, `transactions` are decisions that hold whatever
 * becomes of it; the options decide about the proposal in their parent.
 */
export const blockFields = variants('block', {
  ApricotProposal: [0, { ...common, transaction }],
  ApricotAbort: [1, { ...common }],
  ApricotCommit: [2, { ...common }],
  ApricotStandard: [3, { ...common, transactions }],
  ApricotAtomic: [4, { ...common, transaction }],
  BanffProposal: [29, { time: uint64, transactions, ...common, transaction }],
  BanffAbort: [30, { time: uint64, ...common }],
  BanffCommit: [31, { time: uint64, ...common }],
  BanffStandard: [32, { time: uint64, ...common, transactions }],
});

/** A block as it is packed; its id follows from the bytes. */
export type BlockFields = ValueOf<typeof blockFields>;

/**
 * A P-chain block without its proposervm envelope, and with everything in it.
 * The input is untrusted. Throws PlatformVmError MALFORMED and UNKNOWN_TYPE_ID.
 */
export function parseBlock(bytes: Uint8Array): BlockFields & { readonly id: Id } {
  return { id: blockId(bytes), ...parseWith('block', bytes, blockFields.unpack) };
}

/** What `parseBlock` reads. Throws CodecError when a value does not fit its field. */
export function packBlock(block: BlockFields): Uint8Array {
  return packWith(blockFields, block);
}

/** sha256 of a block's bytes without an envelope. */
export function blockId(bytes: Uint8Array): Id {
  return sha256Id(bytes);
}

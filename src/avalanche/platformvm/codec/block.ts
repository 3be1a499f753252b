import { toHex } from '../../ids/hex.js';
import type { Id } from '../ids.js';
import { id, list, uint64, variants, type ValueOf } from './field.js';
import { packWith, parseWith } from './bounded-blob.js';
import { sha256Id } from './sha256.js';
import { transaction } from './transaction.js';
import { ID_LENGTH } from '../../ids/id.js';

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

/** Where the parent's id stands in blocks that have it at one place: behind codec version, type id and, since Banff, time. */
const PARENT_OFFSETS: ReadonlyMap<number, number> = new Map([
  ...[0, 1, 2, 3, 4].map((typeId) => [typeId, 6] as const),
  ...[30, 31, 32].map((typeId) => [typeId, 14] as const),
]);
/** After the codec version. */
export const TYPE_ID_OFFSET = 2;
const HEIGHT_BYTES = 8;

/** The link of a block to the one before it, without reading its transactions. Throws as `parseBlock` does. */
export function parseBlockLink(bytes: Uint8Array): { id: Id; parentId: Id; height: bigint } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const typeId = bytes.length < TYPE_ID_OFFSET + 4 ? -1 : view.getUint32(TYPE_ID_OFFSET);
  const offset = PARENT_OFFSETS.get(typeId);
  if (offset === undefined || bytes.length < offset + ID_LENGTH + HEIGHT_BYTES) return parseBlock(bytes);
  return {
    id: blockId(bytes),
    parentId: toHex(bytes.subarray(offset, offset + ID_LENGTH)),
    height: view.getBigUint64(offset + ID_LENGTH),
  };
}

/** Result of `parseBlock`. Throws CodecError when a value does not fit its field. */
export function packBlock(block: BlockFields): Uint8Array {
  return packWith(blockFields, block);
}

/** sha256 of a block's bytes without an envelope. */
export function blockId(bytes: Uint8Array): Id {
  return sha256Id(bytes);
}

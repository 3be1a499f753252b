import { id, list, struct, typed, uint64, type ValueOf } from '../../platformvm/codec/field.js';
import { sha256Id } from '../../platformvm/codec/sha256.js';
import type { Id } from '../../platformvm/ids.js';
import { parseWith } from './bounded-blob.js';
import { avmTransaction } from './transaction.js';

/** block.StandardBlock, the only kind there is (avalanchego v1.15.0 vms/avm/block/parser.go and standard_block.go). */
export const avmBlock = typed(
  'block',
  20,
  struct({
    parentId: id, // of block 0: the vertex that the time before ended with
    height: uint64,
    time: uint64, // UNIX seconds
    merkleRoot: id,
    transactions: list(avmTransaction),
  }),
);

/** A block as it is packed; its id follows from the bytes. */
export type AvmBlockFields = ValueOf<typeof avmBlock>;

/** A block of the X-chain since it became a line of blocks (Cortina); its id is the sha256 of its bytes without a proposervm envelope. */
export type AvmBlock = AvmBlockFields & { readonly id: Id };

/**
 * An X-chain block without its proposervm envelope, and with everything in it.
 * The input is untrusted. Throws AvmError MALFORMED and UNKNOWN_TYPE_ID.
 */
export function parseAvmBlock(blockBytes: Uint8Array): AvmBlock {
  return { id: sha256Id(blockBytes), ...parseWith('block', blockBytes, avmBlock) };
}

import { id, list, struct, typed, uint64, type Field } from '../../platformvm/codec/field.js';
import { sha256Id } from '../../platformvm/codec/sha256.js';
import { STANDARD_BLOCK_TYPE_ID, type AvmBlock } from '../block.js';
import { parseWith } from './parse.js';
import { avmTransaction } from './transaction.js';

/** A block as it is packed; its id follows from the bytes. */
export type AvmBlockFields = Omit<AvmBlock, 'id'>;

/** avalanchego v1.15.0 vms/avm/block/standard_block.go. */
export const avmBlock: Field<AvmBlockFields> = typed(
  'block',
  STANDARD_BLOCK_TYPE_ID,
  struct<AvmBlockFields>({
    parentId: id,
    height: uint64,
    time: uint64,
    merkleRoot: id,
    transactions: list(avmTransaction),
  }),
);

/**
 * An X-chain block without its proposervm envelope, and with everything in it.
 * The input is untrusted. Throws AvmError MALFORMED and UNKNOWN_TYPE_ID.
 */
export function parseAvmBlock(blockBytes: Uint8Array): AvmBlock {
  return { id: sha256Id(blockBytes), ...parseWith('block', blockBytes, avmBlock) };
}

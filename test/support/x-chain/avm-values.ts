import { type AvmBlockFields, avmBlock } from '../../../src/avalanche/avm/codec/block.js';
import type { AvmOutput } from '../../../src/avalanche/avm/output.js';
import { packWith } from '../../../src/avalanche/platformvm/codec/bounded-blob.js';

/** Values that `parseAvmBlock` returns. Throws CodecError when a value does not fit its field. */
export function packAvmBlock(value: AvmBlockFields): Uint8Array {
  return packWith(avmBlock, value);
}

/** How much of its asset an output holds; nothing for NFTs, properties and the rights to make more. */
export function amountOf(output: AvmOutput): bigint {
  return output.type === 'Transfer' ? output.amount : 0n;
}

import { z } from 'zod';
import { packRpcHex } from '../../src/avalanche/ids/rpc-hex.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { COMMON_BEHAVIOURS, HeightSchema, isGiven as isGivenByAny } from '../common-misconduct.js';
import { TYPE_ID_OFFSET } from '../../src/avalanche/platformvm/codec/block.js';

/** No block has that type. */
const UNKNOWN_TYPE_ID = 0xffff_fffe;
/** Bytes of no block. */
const NOISE = new Uint8Array(80).fill(7);
const MAX_BLOCK_BYTES = 2 * 1024 * 1024;

/** How the node serves its blocks. Everything but `honest` and `tip` is a fault that an index must survive. */
export const PChainBehaviourSchema = z.discriminatedUnion('kind', [
  ...COMMON_BEHAVIOURS,
  /**
   * Blocks with a wrong checksum, blocks of an unknown type, or (by default) the former at even heights, the latter at odd ones; or bytes
   * that are no block at all, with a right checksum.
   */
  z.strictObject({
    kind: z.literal('garbage'),
    form: z.enum(['checksum', 'type-id', 'noise']).optional(),
  }),
  /** It has lost one block. */
  z.strictObject({ kind: z.literal('gap'), height: HeightSchema }),
  /** Other bytes, in hex, in the place of one block. */
  z.strictObject({
    kind: z.literal('replaced'),
    height: HeightSchema,
    bytes: z
      .string()
      .regex(/^([0-9a-f]{2})+$/)
      .max(2 * MAX_BLOCK_BYTES),
  }),
]);

export type PChainBehaviour = z.output<typeof PChainBehaviourSchema>;
export type PChainBehaviourInput = z.input<typeof PChainBehaviourSchema>;

/** Whether it has a block that it reports. */
export function isGiven(behaviour: BlockBehaviour, height: bigint): boolean {
  if (behaviour.kind === 'gap') return height !== BigInt(behaviour.height);
  return isGivenByAny(behaviour, Number(height));
}

/** Of the P- or the X-chain. */
type BlockBehaviour = PChainBehaviour | { readonly kind: 'wrongParent' };

export type BytesEncoding = 'hex' | 'hexc' | 'hexnc';

export function encodeBytes(bytes: Uint8Array, encoding: BytesEncoding): string {
  return encoding === 'hexnc' ? `0x${toHex(bytes)}` : packRpcHex(bytes);
}

/** The text that a node of this behaviour gives for the bytes of a block at this height. */
export function encodeBlock(
  behaviour: BlockBehaviour,
  height: bigint,
  bytes: Uint8Array,
  encoding: BytesEncoding,
): string {
  if (behaviour.kind === 'replaced' && height === BigInt(behaviour.height)) {
    return encodeBytes(fromHex(behaviour.bytes), encoding);
  }
  if (behaviour.kind !== 'garbage') return encodeBytes(bytes, encoding);
  switch (behaviour.form ?? (height % 2n === 0n ? 'checksum' : 'type-id')) {
    case 'checksum':
      return withOtherLastDigit(encodeBytes(bytes, encoding));
    case 'type-id':
      return encodeBytes(withUnknownType(bytes), encoding);
    case 'noise':
      return encodeBytes(NOISE, encoding);
  }
}

function withOtherLastDigit(hex: string): string {
  return hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0');
}

function withUnknownType(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes);
  new DataView(changed.buffer).setUint32(TYPE_ID_OFFSET, UNKNOWN_TYPE_ID);
  return changed;
}

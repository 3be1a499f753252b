import { z } from 'zod';
import {
  type BytesEncoding,
  encodeBlock,
  encodeBytes,
  PChainBehaviourSchema,
} from '../p-chain/misconduct.js';

const HeightSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Of a block: after the codec version and the type id. */
const PARENT_ID_OFFSET = 6;

/** How the node serves its X-chain. Everything but `honest` and `tip` is a fault to be survived by who indexes it. */
export const XChainBehaviourSchema = z.discriminatedUnion('kind', [
  ...PChainBehaviourSchema.options,
  /** Another chain from that height on: the same blocks with other parents, and hence other ids. */
  z.strictObject({ kind: z.literal('wrongParent'), fromHeight: HeightSchema.min(1).default(1) }),
  /** It has lost one block. */
  z.strictObject({ kind: z.literal('gap'), height: HeightSchema }),
  /** The chain has come that far and no farther. */
  z.strictObject({ kind: z.literal('tip'), height: HeightSchema }),
]);

export type XChainBehaviour = z.output<typeof XChainBehaviourSchema>;
export type XChainBehaviourInput = z.input<typeof XChainBehaviourSchema>;

/** The text that a node of this behaviour gives for the bytes of a block at this height. */
export function encodeXChainBlock(
  behaviour: XChainBehaviour,
  { height, bytes }: { readonly height: bigint; readonly bytes: Uint8Array },
  encoding: BytesEncoding,
): string {
  switch (behaviour.kind) {
    case 'wrongParent':
      return encodeBytes(height < BigInt(behaviour.fromHeight) ? bytes : withOtherParent(bytes), encoding);
    case 'gap':
    case 'tip':
      return encodeBytes(bytes, encoding);
    default:
      return encodeBlock(behaviour, height, bytes, encoding);
  }
}

function withOtherParent(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, offset) => (offset === PARENT_ID_OFFSET ? byte ^ 0xff : byte));
}

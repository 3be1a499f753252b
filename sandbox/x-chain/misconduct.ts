import { z } from 'zod';
import { HeightSchema } from '../common-misconduct.js';
import { type BytesEncoding, encodeBlock, PChainBehaviourSchema } from '../p-chain/misconduct.js';

/** Of a block: after the codec version and the type id. */
const PARENT_ID_OFFSET = 6;

/** How the node serves its X-chain. Everything but `honest` and `tip` is a fault that an index must survive. */
export const XChainBehaviourSchema = z.discriminatedUnion('kind', [
  ...PChainBehaviourSchema.options,
  /** Another chain from that height on: the same blocks with other parents, and hence other ids. */
  z.strictObject({ kind: z.literal('wrongParent'), fromHeight: HeightSchema.min(1).default(1) }),
]);

export type XChainBehaviour = z.output<typeof XChainBehaviourSchema>;
export type XChainBehaviourInput = z.input<typeof XChainBehaviourSchema>;

/** The text that a node of this behaviour gives for the bytes of a block at this height. */
export function encodeXChainBlock(
  behaviour: XChainBehaviour,
  { height, bytes }: { readonly height: bigint; readonly bytes: Uint8Array },
  encoding: BytesEncoding,
): string {
  const isOther = behaviour.kind === 'wrongParent' && height >= BigInt(behaviour.fromHeight);
  return encodeBlock(behaviour, height, isOther ? withOtherParent(bytes) : bytes, encoding);
}

function withOtherParent(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, offset) => (offset === PARENT_ID_OFFSET ? byte ^ 0xff : byte));
}

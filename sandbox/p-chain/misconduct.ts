import { z } from 'zod';
import { packRpcHex } from '../../src/avalanche/ids/rpc-hex.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { HttpFault, tooManyRequests } from '../rpc/endpoint.js';

const DEFAULT_RETRY_AFTER_SECONDS = 1;
/** Of a block, after the codec version. No block has that type. */
const TYPE_ID_OFFSET = 2;
const UNKNOWN_TYPE_ID = 0xffff_fffe;
/** Bytes of no block. */
const NOISE = new Uint8Array(80).fill(7);
const MAX_BLOCK_BYTES = 2 * 1024 * 1024;

export const HeightSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** How the node serves its blocks. Everything but `honest` and `tip` is a fault to be survived by who indexes them. */
export const PChainBehaviourSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('honest') }),
  /**
   * Blocks with a wrong checksum, blocks of an unknown type, or (unless said) the former at even heights, the latter at odd ones;
   * or bytes that are no block at all, with a right checksum.
   */
  z.strictObject({
    kind: z.literal('garbage'),
    form: z.enum(['checksum', 'type-id', 'noise']).optional(),
  }),
  /** HTTP 429 with Retry-After. */
  z.strictObject({
    kind: z.literal('tooManyRequests'),
    retryAfterSeconds: z.number().int().min(0).max(3600).default(DEFAULT_RETRY_AFTER_SECONDS),
  }),
  /** Takes the request and never answers. */
  z.strictObject({ kind: z.literal('timeout') }),
  /** Lost its database: only block 0 is there, and the height is 0. */
  z.strictObject({ kind: z.literal('empty') }),
  /** The chain has come that far and no farther. */
  z.strictObject({ kind: z.literal('tip'), height: HeightSchema }),
  /** Announces blocks that it does not give yet, as when another node behind the same address is asked for them. */
  z.strictObject({ kind: z.literal('late'), height: HeightSchema, gives: HeightSchema }),
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

/** Whatever chain it is of. */
type BlockBehaviour = PChainBehaviour | { readonly kind: 'wrongParent' };

/** Height of the last block that a node of this behaviour tells of. */
export function toldHeight(behaviour: BlockBehaviour, last: bigint): bigint {
  switch (behaviour.kind) {
    case 'empty':
      return 0n;
    case 'tip':
    case 'late':
      return last < BigInt(behaviour.height) ? last : BigInt(behaviour.height);
    default:
      return last;
  }
}

/** Whether it has the block, if the chain has. */
export function isGiven(behaviour: BlockBehaviour, height: bigint): boolean {
  switch (behaviour.kind) {
    case 'late':
      return height <= BigInt(behaviour.gives);
    case 'gap':
      return height !== BigInt(behaviour.height);
    default:
      return true;
  }
}

/** Lets a node answer that does. Throws HttpFault. */
export function answerOrNot(behaviour: { readonly kind: string; readonly retryAfterSeconds?: number }): void {
  const { kind, retryAfterSeconds = DEFAULT_RETRY_AFTER_SECONDS } = behaviour;
  if (kind === 'timeout') throw new HttpFault('silence');
  if (kind === 'tooManyRequests') throw tooManyRequests(retryAfterSeconds);
}

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

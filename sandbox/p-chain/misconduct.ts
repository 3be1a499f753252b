import { z } from 'zod';
import { packRpcHex } from '../../src/avalanche/ids/rpc-hex.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { HttpFault, tooManyRequests } from '../rpc/endpoint.js';

const DEFAULT_RETRY_AFTER_SECONDS = 1;
/** Of a block, after the codec version. No block has that type. */
const TYPE_ID_OFFSET = 2;
const UNKNOWN_TYPE_ID = 0xffff_fffe;

/** How the node serves its blocks. Everything but `honest` is a fault to be survived by who indexes them. */
export const PChainBehaviourSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('honest') }),
  /** Blocks with a wrong checksum, blocks of an unknown type, or (unless said) the former at even heights, the latter at odd ones. */
  z.strictObject({
    kind: z.literal('garbage'),
    form: z.enum(['checksum', 'type-id']).optional(),
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
]);

export type PChainBehaviour = z.output<typeof PChainBehaviourSchema>;
export type PChainBehaviourInput = z.input<typeof PChainBehaviourSchema>;

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
  behaviour: PChainBehaviour,
  height: bigint,
  bytes: Uint8Array,
  encoding: BytesEncoding,
): string {
  if (behaviour.kind !== 'garbage') return encodeBytes(bytes, encoding);
  const form = behaviour.form ?? (height % 2n === 0n ? 'checksum' : 'type-id');
  return form === 'checksum'
    ? withOtherLastDigit(encodeBytes(bytes, encoding))
    : encodeBytes(withUnknownType(bytes), encoding);
}

function withOtherLastDigit(hex: string): string {
  return hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0');
}

function withUnknownType(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes);
  new DataView(changed.buffer).setUint32(TYPE_ID_OFFSET, UNKNOWN_TYPE_ID);
  return changed;
}

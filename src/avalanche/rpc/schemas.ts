import { z, type ZodType } from 'zod';
import { IdError } from '../ids/id.error.js';
import { fromHex } from '../ids/hex.js';
import { idFromString } from '../ids/id.js';
import { nodeIdFromString } from '../ids/node-id.js';
import { unpackRpcHex } from '../ids/rpc-hex.js';
import { MAX_UINT64 } from '../codec/packer.js';

const MAX_UINT32 = 2 ** 32 - 1;
const BLS_PUBLIC_KEY_LENGTH = 48;

/**
 * A 64-bit number of the node: a decimal string, or a plain number where that is still exact. A larger plain number has
 * already lost digits in JSON.parse and is refused.
 */
export const Uint64Schema = z.union([z.string(), z.number()]).transform((value, context): bigint => {
  const exact =
    typeof value === 'string' ? /^\d{1,20}$/.test(value) : Number.isSafeInteger(value) && value >= 0;
  const parsed = exact ? BigInt(value) : -1n;
  if (parsed >= 0n && parsed <= MAX_UINT64) return parsed;
  context.addIssue('not a 64-bit unsigned number');
  return z.NEVER;
});

export const Uint32Schema = Uint64Schema.transform((value, context): number => {
  if (value <= BigInt(MAX_UINT32)) return Number(value);
  context.addIssue('not a 32-bit unsigned number');
  return z.NEVER;
});

/** UNIX seconds; far beyond any date, but still an exact number. */
export const TimestampSecondsSchema = Uint64Schema.transform((value, context): number => {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  context.addIssue('not a time');
  return z.NEVER;
});

/** An RFC 3339 time as Go prints it, in whole UNIX seconds. */
export const TimeSchema = z.string().transform((value, context): number => {
  const milliseconds = Date.parse(value);
  if (!Number.isNaN(milliseconds)) return Math.floor(milliseconds / 1000);
  context.addIssue('not a time');
  return z.NEVER;
});

/** A percentage or rate that Go prints as a string. */
export const DecimalSchema = z.union([z.string(), z.number()]).transform((value, context): number => {
  const parsed = typeof value === 'string' && value === '' ? NaN : Number(value);
  if (Number.isFinite(parsed)) return parsed;
  context.addIssue('not a number');
  return z.NEVER;
});

/** cb58 of 32 bytes; stays text. */
export const IdSchema = textSchema(idFromString);

/** `NodeID-` and cb58 of 20 bytes; stays text. */
export const NodeIdSchema = textSchema(nodeIdFromString);

/** `0x` and hex, without a checksum. */
export const HexSchema = bytesSchema(fromHex);

/** `0x`, hex and four bytes of checksum, which is checked and removed. */
export const RpcHexSchema = bytesSchema(unpackRpcHex);

/** 48 bytes; whether they are a point of the curve is for the BLS library to decide. */
export const PublicKeyBytesSchema = HexSchema.refine(
  (bytes) => bytes.length === BLS_PUBLIC_KEY_LENGTH,
  'not a compressed BLS public key',
);

export const OwnerSchema = z.object({
  locktime: Uint64Schema,
  threshold: Uint32Schema,
  addresses: z.array(z.string()),
});

export type Owner = z.infer<typeof OwnerSchema>;

function textSchema(read: (text: string) => unknown): ZodType<string> {
  return z.string().refine((text) => readOrUndefined(read, text) !== undefined, 'not an id');
}

function bytesSchema(read: (text: string) => Uint8Array): ZodType<Uint8Array> {
  return z.string().transform((text, context): Uint8Array => {
    const bytes = readOrUndefined(read, text);
    if (bytes !== undefined) return bytes;
    context.addIssue('not hex, or a wrong checksum');
    return z.NEVER;
  });
}

function readOrUndefined<T>(read: (text: string) => T, text: string): T | undefined {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof IdError) return undefined;
    throw error;
  }
}

import { malformed } from '../evm.error.js';
import { MAX_UINT64 } from '../../codec/packer.js';

/** `0x` and lower-case digits. */
export type Hex = `0x${string}`;

/** 20 bytes. Lower case without checksum: it is a key, and hashing every address would cost more than all the rest. */
export type Address = Hex;

/** 32 bytes. */
export type Hash = Hex;

export const ZERO_ADDRESS: Address = `0x${'0'.repeat(40)}`;

/** Without an owner: the fees of the C-chain and of most L1s go there. */
export const BURN_ADDRESS: Address = `0x01${'0'.repeat(38)}`;

/** 9999-12-31 23:59:59 UTC, the last second that a four-digit year can express. */
const MAX_TIMESTAMP_SECONDS = 253_402_300_799;

const ADDRESS = /^0x[0-9a-f]{40}$/;
const HASH = /^0x[0-9a-f]{64}$/;
/** Without a group: megabytes of it would take more stack than there is. */
const DATA = /^0x[0-9a-f]*$/;
/** At most 32 bytes: longer text never becomes a bigint, whose parsing is quadratic. Leading zeros are let pass. */
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;

/** Reads an answer of JSON.parse; `what` names it in errors. */
export function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw malformed(`${what} is not an object`);
}

export function asArray(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw malformed(`${what} is not a list`);
}

export function readAddress(value: unknown, what: string): Address {
  return readHex(value, ADDRESS) ?? refuse(`${what} is not an address`);
}

export function readHash(value: unknown, what: string): Hash {
  return readHex(value, HASH) ?? refuse(`${what} is not a hash`);
}

/** Bytes as hex; how many is bounded by the answer's size only. */
export function readData(value: unknown, what: string): Hex {
  const data = readHex(value, DATA);
  return data === undefined || data.length % 2 === 1 ? refuse(`${what} is not hex data`) : data;
}

export function readUint256(value: unknown, what: string): bigint {
  if (typeof value === 'string' && QUANTITY.test(value)) return BigInt(value);
  throw malformed(`${what} is not a 256-bit quantity`);
}

export function readUint64(value: unknown, what: string): bigint {
  const quantity = readUint256(value, what);
  if (quantity <= MAX_UINT64) return quantity;
  throw malformed(`${what} is more than 64 bits`);
}

/** A position in a list that is at most `max`. */
export function readIndex(value: unknown, max: number, what: string): number {
  const quantity = readUint256(value, what);
  if (quantity <= BigInt(max)) return Number(quantity);
  throw malformed(`${what} is out of range`);
}

/** UNIX seconds that are a date: a number, as all of our dates. */
export function readTimestamp(value: unknown, what: string): number {
  return readIndex(value, MAX_TIMESTAMP_SECONDS, what);
}

/** As nodes write bytes. */
export function evmHexOf(bytes: Buffer): Hex {
  return `0x${bytes.toString('hex')}`;
}

/** The reverse of `evmHexOf`. */
export function evmBytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

export function toQuantity(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}

/** Nodes print lower case already; a new string is made only for others, as parsing limits the speed of a backfill. */
function readHex(value: unknown, pattern: RegExp): Hex | undefined {
  if (typeof value !== 'string') return undefined;
  if (isHex(value, pattern)) return value;
  const lower = value.startsWith('0x') ? value.toLowerCase() : '';
  return isHex(lower, pattern) ? lower : undefined;
}

function isHex(text: string, pattern: RegExp): text is Hex {
  return pattern.test(text);
}

function refuse(what: string): never {
  throw malformed(what);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

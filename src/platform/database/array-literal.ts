import { toHex } from '../../avalanche/ids/hex.js';

/** Types of columns that rows are written in bulk to. `bytea` and `bytea[]` are given as hex, with or without 0x. */
export type ColumnType =
  | 'bytea'
  | 'bytea[]'
  | 'numeric'
  | 'bigint'
  | 'int'
  | 'double precision'
  | 'boolean'
  | 'text'
  | 'json'
  | 'other';

/** `json` is given as any value that JSON can hold. */
export type ColumnValue =
  string | bigint | number | boolean | Uint8Array | readonly string[] | JsonObject | null;
type JsonObject = Readonly<Record<string, unknown>>;

/**
 * One column of many rows as the text of a Postgres array. Written here and not by the driver: ids are hex already, and
 * its general way of quoting each element costs more than all other work of a batch.
 */
export function arrayLiteral(type: ColumnType, values: readonly ColumnValue[]): string {
  const write = WRITERS[type];
  return `{${values.map((value) => (value === null ? 'NULL' : write(value))).join(',')}}`;
}

/** Type of the array's elements as they travel: arrays in arrays would have to be of one length. */
export function elementType(type: ColumnType): string {
  return type === 'bytea[]' || type === 'json' ? 'text' : type;
}

const WRITERS: Record<ColumnType, (value: Exclude<ColumnValue, null>) => string> = {
  bytea: (value) => `\\\\x${hexOf(value)}`,
  'bytea[]': (value) =>
    quote(`{${(Array.isArray(value) ? value : []).map((hex: string) => `\\\\x${hexOf(hex)}`).join(',')}}`),
  numeric: String,
  bigint: String,
  int: String,
  'double precision': String,
  boolean: (value) => (value === true ? 't' : 'f'),
  text: (value) => quote(asText(value)),
  json: (value) => quote(JSON.stringify(value)),
  other: () => {
    throw new RangeError('columns of this type are not written in bulk');
  },
};

function asText(value: ColumnValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function hexOf(value: ColumnValue): string {
  if (value instanceof Uint8Array) return toHex(value);
  const digits = asText(value);
  return digits.startsWith('0x') ? digits.slice(2) : digits;
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * The reader for `bytea[]` that the driver is given: its own one takes an array letter by letter, which costs more than all else of a
 * row. What is not in the default format (`{"\\x0102"}`) it still reads.
 */
export function byteaArrayReader(general: (text: string) => unknown): (text: string) => unknown {
  return (text) => {
    if (text === '{}') return [];
    const elements = text.slice(1, -1).split(',');
    if (!elements.every((element) => BYTEA_ELEMENT.test(element))) return general(text);
    return elements.map((element) => Buffer.from(element.slice(BYTEA_PREFIX_LENGTH, -1), 'hex'));
  };
}

const BYTEA_ELEMENT = /^"\\\\x[0-9a-f]*"$/;
const BYTEA_PREFIX_LENGTH = 4;

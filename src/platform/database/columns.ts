import { Column, type ColumnOptions, type ValueTransformer } from 'typeorm';
import { evmBytesOf, evmHexOf } from '../../avalanche/evm/rpc/hex-values.js';

/**
 * The kinds of columns that entities have, each with what its value is in code. TypeORM reads and writes by them, and so do the
 * statements for many rows (entity-columns.ts).
 */
interface KindOptions {
  /** Part of the primary key. */
  readonly key?: boolean;
  readonly nullable?: boolean;
  /** False: only read where it is named. */
  readonly select?: boolean;
  readonly name?: string;
  readonly generated?: 'identity';
  readonly default?: string | number | boolean | (() => string);
}

/** Bytes as hex digits. */
export const Hex = kind({ type: 'bytea' }, between(fromDigits, toDigits));
export const Hexes = kind({ type: 'bytea', array: true }, betweenEach(fromDigits, toDigits));
/** Bytes as `0x` and hex digits, as EVM chains have them. */
export const EvmHex = kind({ type: 'bytea' }, between(evmBytesOf, evmHexOf));
export const EvmHexes = kind({ type: 'bytea', array: true }, betweenEach(evmBytesOf, evmHexOf));
/** A Uint8Array as codecs make it, so that records compare as equal. */
export const Bytes = kind(
  { type: 'bytea' },
  between(
    (value: Uint8Array) => Buffer.from(value),
    (given: Buffer) => new Uint8Array(given),
  ),
);
/** A uint64 as bigint. */
export const Uint64 = kind({ type: 'numeric', precision: 20, scale: 0 }, between(String, BigInt));
/** A uint256 as bigint. */
export const Uint256 = kind({ type: 'numeric', precision: 78, scale: 0 }, between(String, BigInt));
/** A sum without a bound, as bigint. */
export const Sum = kind({ type: 'numeric' }, between(String, BigInt));
export const Numeric = kind({ type: 'numeric' });
/** As bigint. */
export const BigInteger = kind({ type: 'bigint' }, between(String, BigInt));
/** Times and counts, which never pass 2^53, as number. */
export const SafeInteger = kind({ type: 'bigint' }, between(String, Number));
export const Int = kind({ type: 'integer' });
export const Ints = kind({ type: 'integer', array: true });
export const SafeIntegers = kind({ type: 'bigint', array: true }, betweenEach(String, Number));
export const SmallInt = kind({ type: 'smallint' });
export const Double = kind({ type: 'double precision' });
export const Real = kind({ type: 'real' });
export const Flag = kind({ type: 'boolean' });
export const Text = kind({ type: 'text' });
export const Texts = kind({ type: 'text', array: true });
export const Uuid = kind({ type: 'uuid' });
/** A Date. */
export const Timestamp = kind({ type: 'timestamp with time zone' });
export const Json = kind({ type: 'json' });
export const Jsonb = kind({ type: 'jsonb' });

export const NULL_WITHOUT_FIRST = 'nds:null-without-first';

/**
 * An object in columns of its own, named after it unless `prefix` names them otherwise. A `nullable` one is null where its first
 * column is.
 */
export function Embedded(
  type: () => new () => object,
  { prefix, nullable = false }: { prefix?: string; nullable?: boolean } = {},
): PropertyDecorator {
  const column = Column(type, prefix === undefined ? {} : { prefix });
  return (target, property) => {
    Reflect.defineMetadata(NULL_WITHOUT_FIRST, nullable, target, property);
    column(target, property);
  };
}

function kind(options: ColumnOptions, transformer?: ValueTransformer) {
  return ({ key = false, ...own }: KindOptions = {}): PropertyDecorator =>
    Column({ ...options, ...(transformer && { transformer }), ...own, primary: key });
}

/** Null and undefined stay what they are. */
function between<Value, Given>(
  to: (value: Value) => unknown,
  from: (given: Given) => unknown,
): ValueTransformer {
  return {
    to: (value: Value | null | undefined) => (value === null || value === undefined ? value : to(value)),
    from: (given: Given | null | undefined) => (given === null || given === undefined ? given : from(given)),
  };
}

function betweenEach<Value, Given>(
  to: (value: Value) => unknown,
  from: (given: Given) => unknown,
): ValueTransformer {
  return between(
    (values: readonly Value[]) => values.map(to),
    (given: readonly Given[]) => given.map(from),
  );
}

function fromDigits(value: string): Buffer {
  return Buffer.from(value, 'hex');
}

function toDigits(given: Buffer): string {
  return given.toString('hex');
}

import type { Packer } from '../../codec/packer.js';
import type { Unpacker } from '../../codec/unpacker.js';
import { fromHex } from '../../ids/hex.js';
import type { Id, ShortId } from '../ids.js';
import { PlatformVmError } from '../platformvm.error.js';

/**
 * How one value stands in the bytes, in both directions. Every type of the P-chain is a table of these,
 * so that what is read and what is written cannot differ.
 */
export interface Field<T> {
  /** The smallest it can be; bounds the length of lists before they are read. */
  readonly minBytes: number;
  /** Throws CodecError, or PlatformVmError UNKNOWN_TYPE_ID. */
  readonly unpack: (unpacker: Unpacker) => T;
  /** Throws CodecError when the value does not fit. */
  readonly pack: (packer: Packer, value: T) => void;
}

export const uint8: Field<number> = {
  minBytes: 1,
  unpack: (unpacker) => unpacker.unpackByte(),
  pack: (packer, value) => packer.packByte(value),
};

export const uint32: Field<number> = {
  minBytes: 4,
  unpack: (unpacker) => unpacker.unpackInt(),
  pack: (packer, value) => packer.packInt(value),
};

export const uint64: Field<bigint> = {
  minBytes: 8,
  unpack: (unpacker) => unpacker.unpackLong(),
  pack: (packer, value) => packer.packLong(value),
};

export const text: Field<string> = {
  minBytes: 2,
  unpack: (unpacker) => unpacker.unpackString(),
  pack: (packer, value) => packer.packString(value),
};

export const bytes: Field<Uint8Array> = {
  minBytes: 4,
  unpack: (unpacker) => unpacker.unpackBytes(),
  pack: (packer, value) => packer.packBytes(value),
};

/** A byte slice that stands for an id and is shown as hex. */
export const hexBytes: Field<string> = {
  minBytes: 4,
  unpack: (unpacker) => unpacker.unpackHex(unpacker.unpackInt()),
  pack: (packer, value) => packer.packBytes(fromHex(value)),
};

export function fixedBytes(length: number): Field<Uint8Array> {
  return {
    minBytes: length,
    unpack: (unpacker) => unpacker.unpackFixedBytes(length),
    pack: (packer, value) => packer.packFixedBytes(value, length),
  };
}

function fixedHex(length: number): Field<string> {
  return {
    minBytes: length,
    unpack: (unpacker) => unpacker.unpackHex(length),
    pack: (packer, value) => packer.packFixedHex(value, length),
  };
}

export const id: Field<Id> = fixedHex(32);
export const shortId: Field<ShortId> = fixedHex(20);

/** A value that follows from the type id before it; takes no bytes. */
export function constant<const T>(value: T): { minBytes: 0; unpack: () => T; pack: () => void } {
  return { minBytes: 0, unpack: () => value, pack: () => {} };
}

/** uint32 count, then each element. */
export function list<T>(element: Field<T>): Field<readonly T[]> {
  return {
    minBytes: 4,
    unpack: (unpacker) => unpacker.unpackList(element.minBytes, element.unpack),
    pack: (packer, values) => packer.packList(values, element.pack),
  };
}

/** The type of what a field reads and writes. */
export type ValueOf<F> = F extends { readonly unpack: (unpacker: Unpacker) => infer T } ? T : never;

type Fields<T> = { readonly [K in keyof T]: Field<T[K]> };

/** The values of a table of fields. */
export type StructOf<F> = { readonly [K in keyof F]: ValueOf<F[K]> };

/** The fields one after the other, in the order in which they are written down. */
export function struct<T extends object>(fields: Fields<T>): Field<Readonly<T>> {
  const keys = Object.keys(fields) as (keyof T)[];
  return {
    minBytes: keys.reduce((sum, key) => sum + fields[key].minBytes, 0),
    unpack: (unpacker) => {
      const value: Partial<T> = {};
      for (const key of keys) value[key] = fields[key].unpack(unpacker);
      return value as T; // the type of `fields` has them all
    },
    pack: (packer, value) => {
      for (const key of keys) fields[key].pack(packer, value[key]);
    },
  };
}

type VariantsOf<Bodies> = {
  readonly [Type in keyof Bodies]: Readonly<{ type: Type } & Bodies[Type]>;
};

/** One of several kinds of values; `bodies` are the kinds by themselves, without their type ids. */
interface Variants<Bodies> extends Field<VariantsOf<Bodies>[keyof Bodies]> {
  readonly bodies: Fields<VariantsOf<Bodies>>;
}

/** A kind of values to which proposals would add some, by the type ids that these may get. */
interface Drafted {
  readonly name: string;
  readonly drafts: ReadonlyMap<number, string>;
}

/** Values that are distinguished by their `type`, and on the wire by a uint32 type id before their fields. */
export function variants<Bodies extends Readonly<Record<string, object>>>(
  what: string | Drafted,
  kinds: { readonly [Type in keyof Bodies]: readonly [typeId: number, fields: Fields<Bodies[Type]>] },
): Variants<Bodies> {
  type Body = Field<VariantsOf<Bodies>[keyof Bodies]>;
  const bodies: Partial<Fields<VariantsOf<Bodies>>> = {};
  const byTypeId = new Map<number, Body>();
  const byType = new Map<PropertyKey, { readonly typeId: number; readonly body: Body }>();
  for (const type in kinds) {
    const [typeId, fields] = kinds[type];
    const body = struct({ type: constant(type), ...fields }) as unknown as Body; // the kind that `kinds` has here
    Object.assign(bodies, { [type]: body });
    byTypeId.set(typeId, body);
    byType.set(type, { typeId, body });
  }
  return {
    bodies: bodies as Fields<VariantsOf<Bodies>>,
    minBytes: 4 + Math.min(...[...byTypeId.values()].map(({ minBytes }) => minBytes)),
    unpack: (unpacker) => {
      const { offset } = unpacker;
      const typeId = unpacker.unpackInt();
      const body = byTypeId.get(typeId);
      if (body === undefined) throw unknownTypeId(what, typeId, offset);
      return body.unpack(unpacker);
    },
    pack: (packer, value) => {
      const known = byType.get(value.type);
      if (known === undefined) throw new RangeError(`${String(value.type)} is no ${nameOf(what)}`);
      known.body.pack(packer.packInt(known.typeId), value);
    },
  };
}

/** uint32 type id, then the value. The codec calls this an interface; here only one type can stand in it. */
export function typed<T>(what: string, typeId: number, field: Field<T>): Field<T> {
  return {
    minBytes: 4 + field.minBytes,
    unpack: (unpacker) => {
      const { offset } = unpacker;
      const found = unpacker.unpackInt();
      if (found !== typeId) throw unknownTypeId(what, found, offset);
      return field.unpack(unpacker);
    },
    pack: (packer, value) => field.pack(packer.packInt(typeId), value),
  };
}

export function unknownTypeId(what: string | Drafted, typeId: number, offset: number): PlatformVmError {
  const draft = typeof what === 'string' ? undefined : what.drafts.get(typeId);
  const hint = draft === undefined ? '' : `; it may be ${draft}, which this version does not support`;
  const text = `type id ${typeId} at offset ${offset} is no known ${nameOf(what)}${hint}`;
  return new PlatformVmError('UNKNOWN_TYPE_ID', text);
}

function nameOf(what: string | Drafted): string {
  return typeof what === 'string' ? what : what.name;
}

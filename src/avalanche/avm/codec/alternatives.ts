import type { Packer } from '../../codec/packer.js';
import type { Unpacker } from '../../codec/unpacker.js';
import { unknownTypeId, type Field } from '../../platformvm/codec/field.js';

type Bodies<Value extends { readonly type: string }> = {
  readonly [Type in Value['type']]: Field<Extract<Value, { readonly type: Type }>>;
};

/** A body of which only its type id told that the value is one of its own. */
interface Body<Value> {
  readonly minBytes: number;
  unpack(unpacker: Unpacker): Value;
  pack(packer: Packer, value: Value): void;
}

/** What is told apart by its `type` here and by a uint32 type id before it on the wire. */
export function alternatives<Value extends { readonly type: string }>(
  what: string,
  typeIds: { readonly [Type in Value['type']]: number },
  bodies: Bodies<Value>,
): Field<Value> {
  const byType = new Map<string, { readonly typeId: number; readonly body: Body<Value> }>();
  for (const type of keysOf(bodies)) byType.set(type, { typeId: typeIds[type], body: bodies[type] });
  const byTypeId = new Map([...byType.values()].map(({ typeId, body }) => [typeId, body]));
  return {
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
      if (known === undefined) throw new RangeError(`${value.type} is no ${what}`);
      known.body.pack(packer.packInt(known.typeId), value);
    },
  };
}

function keysOf<T extends object>(record: T): Extract<keyof T, string>[] {
  const keys: Extract<keyof T, string>[] = [];
  for (const key in record) keys.push(key);
  return keys;
}

import { toHex } from './hex.js';
import { ID_LENGTH, idToString } from './id.js';
import { checkShortIdLength } from './short-id.js';
import { IdError } from './id.error.js';

declare const encoding: unique symbol;
type Encoded<Name extends string> = string & { readonly [encoding]: Name };

/** 32 bytes as 64 lower-case hex digits, as SQL and the state machines have them. */
export type IdHex = Encoded<'32 bytes in hex'>;
/** 20 bytes (node id or address) as 40 lower-case hex digits. */
export type ShortIdHex = Encoded<'20 bytes in hex'>;
/** 32 bytes as cb58, as nodes and people have them. */
export type IdCb58 = Encoded<'32 bytes in cb58'>;

/** Throws IdError unless there are 32 bytes. */
export function idToHex(id: Uint8Array): IdHex {
  const text = toHex(id);
  if (isIdHex(text)) return text;
  throw new IdError('INVALID_LENGTH', `id of ${id.length} bytes, ${ID_LENGTH} needed`);
}

/** Throws IdError unless there are 20 bytes. */
export function shortIdToHex(id: Uint8Array): ShortIdHex {
  const text = toHex(checkShortIdLength(id));
  if (isShortIdHex(text)) return text;
  throw new IdError('INVALID_HEX', 'not hex');
}

/** Throws IdError unless there are 32 bytes. */
export function idToCb58(id: Uint8Array): IdCb58 {
  const text = idToString(id);
  if (isIdCb58(text)) return text;
  throw new IdError('INVALID_LENGTH', 'not the cb58 of an id');
}

function isIdHex(text: string): text is IdHex {
  return /^[0-9a-f]{64}$/.test(text);
}

function isShortIdHex(text: string): text is ShortIdHex {
  return /^[0-9a-f]{40}$/.test(text);
}

function isIdCb58(text: string): text is IdCb58 {
  return /^[1-9A-HJ-NP-Za-km-z]+$/.test(text);
}

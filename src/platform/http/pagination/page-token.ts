import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { badRequest } from '../errors/api-error.js';
import type { Keyset } from './keyset.js';

const KeysetSchema: z.ZodType<Keyset> = z.array(z.string().nullable());

/** The request that a token belongs to: a path and its query in one form, without pageToken and pageSize. */
export interface PageScope {
  readonly path: readonly string[];
  /** Parsed, so that two ways of writing the same are the same; bigints and nested lists allowed. */
  readonly query: Readonly<Record<string, unknown>>;
}

const MAC_BYTES = 32;
/** The longest keyset, with its MAC, is below half of this. */
const MAX_TOKEN_CHARACTERS = 512;
const NOT_OF_THIS_QUERY =
  'pageToken: must be the nextPageToken of a page of the same query, sent with the same other parameters';

/** Opaque base64url: the keyset and an HMAC-SHA-256 of scope and keyset, so that callers cannot forge or change one. */
export function packPageToken(key: Uint8Array, scope: PageScope, keyset: Keyset): string {
  const content = Buffer.from(JSON.stringify(keyset));
  return Buffer.concat([authenticate(key, scope, content), content]).toString('base64url');
}

/** Throws the 400 of a token that is not one of these keys and this scope. */
export function unpackPageToken(keys: readonly Uint8Array[], scope: PageScope, token: string): Keyset {
  if (token.length > MAX_TOKEN_CHARACTERS || !/^[\w-]+$/.test(token)) throw badRequest(NOT_OF_THIS_QUERY);
  const bytes = Buffer.from(token, 'base64url');
  // The last character has spare bits: only the text that was given out counts.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) throw badRequest(NOT_OF_THIS_QUERY);
  const content = bytes.subarray(MAC_BYTES);
  const mac = bytes.subarray(0, MAC_BYTES);
  const isGenuine = keys.some((key) => timingSafeEqual(mac, authenticate(key, scope, content)));
  if (!isGenuine) throw badRequest(NOT_OF_THIS_QUERY);
  return KeysetSchema.parse(JSON.parse(content.toString()));
}

function authenticate(key: Uint8Array, scope: PageScope, content: Uint8Array): Buffer {
  return createHmac('sha256', key).update(canonical(scope)).update('\0').update(content).digest();
}

/** Same text for the same query, however its parameters are ordered; left out parameters do not count. */
function canonical({ path, query }: PageScope): string {
  const members = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([path, members], (_name, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

import { createHash, randomBytes } from 'node:crypto';

/** Prefix of every key of this service, so that people and scanners for leaked secrets recognise one. */
export const KEY_PREFIX = 'nds_';
const SECRET_BYTES = 24;
const SECRET_CHARACTERS = 32;
const CHECK_CHARACTERS = 6;
const SHOWN_CHARACTERS = KEY_PREFIX.length + 6;

const KEY = new RegExp(`^${KEY_PREFIX}([\\w-]{${SECRET_CHARACTERS}})([\\w-]{${CHECK_CHARACTERS}})$`);

/** A new key: 192 random bits, and a checksum that distinguishes a misspelt key from an unknown one without asking the database. */
export function makeApiKey(): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return `${KEY_PREFIX}${secret}${checksumOf(secret)}`;
}

export function isApiKey(text: string): boolean {
  const [, secret, checksum] = KEY.exec(text) ?? [];
  return secret !== undefined && checksum === checksumOf(secret);
}

/** Hash of a key, as stored. It is random throughout, so that no salt and no slow hash make it any safer. */
export function hashOfKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The part of a key that may be shown after its creation. */
export function shownPartOf(key: string): string {
  return key.slice(0, SHOWN_CHARACTERS);
}

function checksumOf(secret: string): string {
  return createHash('sha256')
    .update(KEY_PREFIX)
    .update(secret)
    .digest('base64url')
    .slice(0, CHECK_CHARACTERS);
}

import { IdError } from './id.error.js';

/** Lower-case hex without 0x. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Reads hex of either case, with or without 0x. Throws IdError on an odd length or any other character. */
export function fromHex(text: string): Uint8Array {
  const digits = text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text;
  if (digits.length % 2 !== 0) throw new IdError('INVALID_HEX', 'hex has an odd number of digits');
  const bytes = Buffer.from(digits, 'hex'); // reads as far as it is hex
  if (2 * bytes.length !== digits.length) throw new IdError('INVALID_HEX', 'not hex');
  // A plain Uint8Array, not a Buffer: structural equality in tests and postMessage treat the two differently.
  return new Uint8Array(bytes);
}

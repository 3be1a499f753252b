import { checksumOf, withoutChecksum } from './checksum.js';
import { fromHex, toHex } from './hex.js';
import { IdError } from './id.error.js';

/** `0x`, the bytes, four bytes of checksum: the encoding the node's RPC calls `hex` and `hexc` (avalanchego v1.14.2 utils/formatting/encoding.go). */
export function packRpcHex(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}${checksumOf(bytes)}`;
}

/** Throws IdError on a missing 0x, on anything that is not hex, and on a wrong checksum. */
export function unpackRpcHex(text: string): Uint8Array {
  if (!text.startsWith('0x')) throw new IdError('INVALID_PREFIX', 'RPC hex starts with 0x');
  return withoutChecksum(fromHex(text));
}

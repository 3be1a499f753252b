import { bech32 } from '@scure/base';
import { IdError } from './id.error.js';
import { checkShortIdLength } from './short-id.js';

/** Human-readable parts by network id (avalanchego v1.14.2 utils/constants/network_ids.go); any other network has `custom`. */
const HRP_BY_NETWORK_ID: ReadonlyMap<number, string> = new Map([
  [1, 'avax'],
  [2, 'cascade'],
  [3, 'denali'],
  [4, 'everest'],
  [5, 'fuji'],
  [10, 'testing'],
  [12345, 'local'],
]);
const FALLBACK_HRP = 'custom';

export interface Address {
  /** `P`, `X`, `C`, or a blockchain id; absent in the bare form. */
  chainAlias?: string;
  hrp: string;
  bytes: Uint8Array;
}

export function hrpOfNetwork(networkId: number): string {
  return HRP_BY_NETWORK_ID.get(networkId) ?? FALLBACK_HRP;
}

/** `P-fuji1…`, or without an alias `fuji1…` (avalanchego v1.14.2 utils/formatting/address/address.go). Throws IdError. */
export function packAddress({ chainAlias, hrp, bytes }: Address): string {
  checkShortIdLength(bytes);
  try {
    const text = bech32.encodeFromBytes(hrp, bytes);
    return chainAlias === undefined ? text : `${chainAlias}-${text}`;
  } catch (cause) {
    throw new IdError('INVALID_ADDRESS', 'human-readable part cannot be encoded', { cause });
  }
}

/** Reads both forms; the caller compares alias and human-readable part with what it expects. Throws IdError. */
export function unpackAddress(text: string): Address {
  const separator = text.indexOf('-');
  const chainAlias = separator < 0 ? undefined : text.slice(0, separator);
  if (chainAlias === '') throw new IdError('INVALID_ADDRESS', 'empty chain alias');
  const { prefix, bytes } = decodeBech32(text.slice(separator + 1));
  checkShortIdLength(bytes);
  return chainAlias === undefined ? { hrp: prefix, bytes } : { chainAlias, hrp: prefix, bytes };
}

function decodeBech32(text: string): { prefix: string; bytes: Uint8Array } {
  try {
    const { prefix, bytes } = bech32.decodeToBytes(text);
    return { prefix, bytes };
  } catch (cause) {
    throw new IdError('INVALID_ADDRESS', 'not bech32', { cause });
  }
}

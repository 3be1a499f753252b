import { idToString } from '../../../avalanche/ids/id.js';

/** Chains, assets and most subnets: few, and in every row. */
const MAX_REMEMBERED = 1_000;
const remembered = new Map<string, string>();

/** As idToString, for ids that come again and again: a checksum and base58 cost more than the rest of a row. */
export function repeatedIdToString(id: Buffer): string {
  const key = id.toString('latin1');
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const text = idToString(id);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(key, text);
  return text;
}

import { BoundedMap } from '../../../avalanche/bounded-map.js';
import { fromHex } from '../../../avalanche/ids/hex.js';
import { idToString } from '../../../avalanche/ids/id.js';

/** Chains, assets and most subnets: few, and in every row. */
const MAX_REMEMBERED = 1_000;
const remembered = new BoundedMap<string, string>(MAX_REMEMBERED);

/** As idToString of an id in hex, for ids that come again and again: a checksum and base58 cost more than the rest of a row. */
export function repeatedIdToString(id: string): string {
  const known = remembered.get(id);
  if (known !== undefined) return known;
  const text = idToString(fromHex(id));
  remembered.set(id, text);
  return text;
}

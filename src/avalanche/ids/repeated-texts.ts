import { BoundedMemo } from '../bounded-memo.js';
import { packAddress } from './address.js';
import { fromHex } from './hex.js';
import { idToString } from './id.js';
import { nodeIdToString } from './node-id.js';

/**
 * Texts of ids and addresses in rows of tables: a checksum and base58 or bech32 cost more than the rest of a row. Nodes, chains and
 * owners come again in each answer, transactions several times in one, and all of them where a caller asks for a page again.
 */

/** Of each kind. */
const MAX_REMEMBERED = 20_000;
const ids = new BoundedMemo<string>(MAX_REMEMBERED);
const nodeIds = new BoundedMemo<string>(MAX_REMEMBERED);
const addresses = new BoundedMemo<string>(MAX_REMEMBERED);

/** As idToString of an id in hex. */
export function repeatedIdToString(id: string): string {
  return ids.get(id, () => idToString(fromHex(id)));
}

/** As nodeIdToString of a node id in hex. */
export function repeatedNodeIdToString(nodeId: string): string {
  return nodeIds.get(nodeId, () => nodeIdToString(fromHex(nodeId)));
}

/** As packAddress without an alias of each address in hex. */
export function packAddresses(each: Iterable<string>, hrp: string): string[] {
  return Array.from(each, (address) =>
    addresses.get(hrp + address, () => packAddress({ hrp, bytes: fromHex(address) })),
  );
}

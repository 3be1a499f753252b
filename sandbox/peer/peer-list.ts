import { createHash } from 'node:crypto';
import { BoundedMap } from '../../src/avalanche/bounded-map.js';
import { bloomHash } from '../../src/avalanche/p2p/network/bloom-filter.js';
import { readClaimant } from '../../src/avalanche/p2p/peer/peer-list-claim.js';
import { parseKnownPeers } from '../../src/avalanche/p2p/peer/handshake.js';
import { IPV4_BYTES, IPV6_BYTES } from '../../src/avalanche/p2p/peer/signed-ip.js';
import type { BloomFilter, ClaimedIpPort } from '../../src/avalanche/proto/generated/p2p_pb.js';

/** Entries of one PeerList (avalanchego v1.14.2 network defaults). */
export const MAX_PEER_LIST_ENTRIES = 15;

/** The other side did what makes a node close the connection. */
export class OffenceError extends Error {}

/** Whether, for a gossip id, the other side has that address already; it may err on that side. */
export type KnownPeers = (gossipId: Uint8Array) => boolean;

/**
 * A client sends the same filter in all of its handshakes for a while. Real nodes look into it on a machine each; those of a sandbox
 * share what they find, or a thousand of them would hash each other's ids a million times.
 */
const MAX_REMEMBERED_FILTERS = 8;
const remembered = new BoundedMap<string, KnownPeers>(MAX_REMEMBERED_FILTERS);

/**
 * The other side's filter; nothing is known when it sent none.
 * Throws P2pError when it is there and invalid.
 */
export function readKnownPeers(knownPeers: BloomFilter | undefined): KnownPeers {
  if (knownPeers === undefined) return () => false;
  const key = createHash('sha256').update(knownPeers.salt).update(knownPeers.filter).digest('base64');
  return remembered.use(key, () => rememberAnswers(knownPeers));
}

function rememberAnswers(knownPeers: BloomFilter): KnownPeers {
  const { filter, salt } = parseKnownPeers(knownPeers);
  const answers = new Map<string, boolean>();
  return (gossipId) => {
    const key = Buffer.from(gossipId).toString('latin1');
    const isKnown = answers.get(key) ?? filter.has(bloomHash(gossipId, salt));
    answers.set(key, isKnown);
    return isKnown;
  };
}

/** Up to `limit` of these in random order, without those that are filtered out. */
export function sample<T>(items: readonly T[], limit: number, isWanted: (item: T) => boolean): T[] {
  const rest = [...items];
  const chosen: T[] = [];
  for (let left = rest.length; left > 0 && chosen.length < limit; left--) {
    const place = Math.floor(Math.random() * left);
    const item = rest[place];
    const last = rest[left - 1];
    if (item === undefined || last === undefined) break;
    rest[place] = last;
    if (isWanted(item)) chosen.push(item);
  }
  return chosen;
}

/** Throws OffenceError, P2pError. */
export function assertClaims(claims: readonly ClaimedIpPort[]): void {
  for (const claim of claims) {
    const { ipAddr, ipPort } = claim;
    readClaimant(claim);
    if (ipAddr.length !== IPV4_BYTES && ipAddr.length !== IPV6_BYTES) {
      throw new OffenceError('malformed address');
    }
    if ((ipPort & 0xffff) === 0) throw new OffenceError('port 0');
  }
}

import { randomBytes } from 'node:crypto';
import { nodeIdFromCertificate, nodeIdToString } from '../../ids/node-id.js';
import type { ClaimedIpPort } from '../../proto/generated/p2p_pb.js';
import type { PeerAddress } from './address.js';
import { BloomFilter, bloomHash, MAX_BLOOM_SALT_BYTES } from './bloom-filter.js';
import { readClaimant, verifyClaimedIp, type SignedPeerAddress } from '../peer/peer-list-claim.js';
import { P2pError } from '../p2p.error.js';

/** Entries of one peer list that are looked at; nodes send 15. Each costs a signature check. */
const MAX_CLAIMS_PER_LIST = 64;
const MAX_PORT = 65_535;
const FALSE_POSITIVE_PROBABILITY = 0.001;
const MIN_FILTER_COUNT = 128;

/** Addresses of nodes: from trusted sources, and as signed by the nodes themselves. Bounded. */
export class PeerDirectory {
  private readonly given = new Map<string, PeerAddress>();
  private readonly claimed = new Map<string, SignedPeerAddress>();

  /** `isWanted` nodes are never dropped for want of room; there must be fewer of them than `maxEntries`. */
  constructor(
    private readonly maxEntries: number,
    private readonly isWanted: (nodeId: string) => boolean,
  ) {}

  /**
   * Adds or replaces addresses from a trusted source, passing over those that nothing can listen on (nodes may claim
   * port 0). Of two addresses of one node the later counts. Returns the nodes whose address is new.
   */
  setAddresses(addresses: readonly PeerAddress[]): string[] {
    const latest = new Map(addresses.filter(isDiallable).map((address) => [address.nodeId, address]));
    const changed = [...latest.values()].filter(({ nodeId, host, port }) => {
      const known = this.given.get(nodeId);
      return known?.host !== host || known.port !== port;
    });
    latest.forEach((address) => this.insert(this.given, address));
    return changed.map(({ nodeId }) => nodeId);
  }

  /** Takes over the valid and newer entries of a peer list; others are passed over. Returns the nodes that moved. */
  learn(claims: readonly ClaimedIpPort[], nowSeconds: bigint): string[] {
    return claims.slice(0, MAX_CLAIMS_PER_LIST).flatMap((claim) => {
      const address = this.readNewer(claim, nowSeconds);
      if (address === undefined) {
        return [];
      }
      const known = this.claimed.get(address.nodeId);
      this.insert(this.claimed, address);
      return known?.host === address.host && known.port === address.port ? [] : [address.nodeId];
    });
  }

  /** The addresses to try for a node, best first. */
  addressesOf(nodeId: string): PeerAddress[] {
    const given = this.given.get(nodeId);
    const claimed = this.claimed.get(nodeId);
    const isSame = given?.host === claimed?.host && given?.port === claimed?.port;
    return [given, isSame ? undefined : claimed].filter((address) => address !== undefined);
  }

  get size(): number {
    return this.given.size + this.claimed.size;
  }

  /** A filter of the peers that we already know; undefined if there are none. Its salt changes, so that false positives do too. */
  makeKnownPeersFilter(): { filter: Uint8Array; salt: Uint8Array } | undefined {
    if (this.claimed.size === 0) {
      return undefined;
    }
    const filter = BloomFilter.forCount(
      Math.max(this.claimed.size, MIN_FILTER_COUNT),
      FALSE_POSITIVE_PROBABILITY,
    );
    const salt = new Uint8Array(randomBytes(MAX_BLOOM_SALT_BYTES));
    for (const { gossipId } of this.claimed.values()) {
      filter.add(bloomHash(gossipId, salt));
    }
    return { filter: filter.toBytes(), salt };
  }

  private readNewer(claim: ClaimedIpPort, nowSeconds: bigint): SignedPeerAddress | undefined {
    try {
      // The hash first: every node sends much the same list, and parsing a certificate costs twenty times as much.
      const nodeId = nodeIdToString(nodeIdFromCertificate(claim.x509Certificate));
      const known = this.claimed.get(nodeId);
      const isNewer = known === undefined || claim.timestamp > known.timestampSeconds;
      return isNewer ? verifyClaimedIp(claim, readClaimant(claim), nowSeconds) : undefined;
    } catch (error) {
      if (error instanceof P2pError) {
        return undefined;
      }
      throw error;
    }
  }

  /** Identities cost nothing to make, so a full directory gives up its oldest unwanted entry rather than new ones. */
  private insert<Address extends PeerAddress>(map: Map<string, Address>, address: Address): void {
    map.delete(address.nodeId);
    map.set(address.nodeId, address);
    if (map.size <= this.maxEntries) {
      return;
    }
    for (const nodeId of map.keys()) {
      if (!this.isWanted(nodeId)) {
        map.delete(nodeId);
        return;
      }
    }
  }
}

function isDiallable({ host, port }: PeerAddress): boolean {
  return host !== '' && Number.isInteger(port) && port > 0 && port <= MAX_PORT;
}

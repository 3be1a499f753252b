import { EMPTY_BLOOM_FILTER } from './bloom-filter.js';
import type { PeerDirectory } from './peer-directory.js';
import type { Peer } from './peer.js';

/** How often one of the connected nodes is asked for addresses. */
export interface PeerExchangeLimits {
  /** While a wanted node is not connected. The Go aggregator asks at this pace at all times. */
  urgentIntervalMs: number;
  intervalMs: number;
  /** A filter of known peers is made anew after so long. */
  filterLifetimeMs: number;
}

export const DEFAULT_PEER_EXCHANGE_LIMITS: PeerExchangeLimits = {
  urgentIntervalMs: 2_000,
  intervalMs: 60_000,
  filterLifetimeMs: 60_000,
};

interface KnownPeers {
  filter: Uint8Array;
  salt: Uint8Array;
}

const NO_KNOWN_PEERS: KnownPeers = { filter: EMPTY_BLOOM_FILTER, salt: new Uint8Array() };

/** Asks random nodes for the addresses of others. */
export class PeerExchange {
  private lastAskedAtMs = -Infinity;
  private filterMadeAtMs = -Infinity;
  private filter: KnownPeers | undefined;

  constructor(
    private readonly directory: PeerDirectory,
    private readonly limits: PeerExchangeLimits,
  ) {}

  /** The filter for a handshake; undefined when nothing is known. */
  knownPeers(nowMs: number): KnownPeers | undefined {
    if (nowMs - this.filterMadeAtMs > this.limits.filterLifetimeMs) {
      this.filterMadeAtMs = nowMs;
      this.filter = this.directory.makeKnownPeersFilter();
    }
    return this.filter;
  }

  /** Asks one of the peers when it is time to. */
  tick(nowMs: number, isUrgent: boolean, readyPeers: () => readonly Peer[]): void {
    const intervalMs = isUrgent ? this.limits.urgentIntervalMs : this.limits.intervalMs;
    if (nowMs - this.lastAskedAtMs < intervalMs) {
      return;
    }
    const peers = readyPeers();
    const peer = peers[Math.floor(Math.random() * peers.length)];
    if (peer !== undefined) {
      this.lastAskedAtMs = nowMs;
      peer.askForPeers(this.knownPeers(nowMs) ?? NO_KNOWN_PEERS);
    }
  }
}

import { EMPTY_BLOOM_FILTER } from '../network/bloom-filter.js';
import type { PeerDirectory } from '../network/peer-directory.js';
import type { Peer } from './peer.js';

/** How often connected nodes are asked for addresses. */
export interface PeerExchangeLimits {
  /** While a wanted node is not connected and answers bring new addresses. The Go aggregator asks at this pace at all times. */
  urgentIntervalMs: number;
  /** Otherwise; someone is always missing on a large network, so the pace falls to this as long as nothing new arrives. */
  intervalMs: number;
  /** Nodes that are asked at a time while it is urgent; each sends some 15 addresses. */
  urgentPeers: number;
  /** Age at which the filter of known peers is rebuilt. */
  filterLifetimeMs: number;
}

export const DEFAULT_PEER_EXCHANGE_LIMITS: PeerExchangeLimits = {
  urgentIntervalMs: 2_000,
  intervalMs: 60_000,
  urgentPeers: 4,
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
  /** Of the directory at the time of the last request. */
  private lastSize = 0;
  private urgentPauseMs: number;
  private filterMadeAtMs = -Infinity;
  private filterSize = 0;
  private filter: KnownPeers | undefined;

  constructor(
    private readonly directory: PeerDirectory,
    private readonly limits: PeerExchangeLimits,
  ) {
    this.urgentPauseMs = limits.urgentIntervalMs;
  }

  /** Nodes are wanted that were not before. */
  hurry(): void {
    this.urgentPauseMs = this.limits.urgentIntervalMs;
  }

  /** The filter for a handshake; undefined when nothing is known. */
  knownPeers(nowMs: number): KnownPeers | undefined {
    const ageMs = nowMs - this.filterMadeAtMs;
    const { size } = this.directory;
    const hasGrown = size > this.filterSize && ageMs > this.limits.urgentIntervalMs;
    if (hasGrown || ageMs > this.limits.filterLifetimeMs) {
      this.filterMadeAtMs = nowMs;
      this.filterSize = size;
      this.filter = this.directory.makeKnownPeersFilter();
    }
    return this.filter;
  }

  /** Asks some of the peers when it is time to. */
  tick(nowMs: number, isUrgent: boolean, readyPeers: () => readonly Pick<Peer, 'askForPeers'>[]): void {
    const intervalMs = isUrgent ? this.urgentPauseMs : this.limits.intervalMs;
    if (nowMs - this.lastAskedAtMs < intervalMs) return;
    const asked = sample(readyPeers(), isUrgent ? this.limits.urgentPeers : 1);
    if (asked.length === 0) return;
    if (isUrgent) this.adaptPause();
    this.lastAskedAtMs = nowMs;
    this.lastSize = this.directory.size;
    const knownPeers = this.knownPeers(nowMs) ?? NO_KNOWN_PEERS;
    for (const peer of asked) peer.askForPeers(knownPeers);
  }

  private adaptPause(): void {
    const { urgentIntervalMs, intervalMs } = this.limits;
    const hasLearnt = this.directory.size > this.lastSize;
    this.urgentPauseMs = hasLearnt ? urgentIntervalMs : Math.min(2 * this.urgentPauseMs, intervalMs);
  }
}

/** So many of them at random, or all. */
function sample<T>(all: readonly T[], count: number): T[] {
  const rest = [...all];
  const chosen: T[] = [];
  while (chosen.length < count && rest.length > 0) {
    chosen.push(...rest.splice(Math.floor(Math.random() * rest.length), 1));
  }
  return chosen;
}

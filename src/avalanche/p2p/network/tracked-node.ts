import { isLoopbackAddress, type PeerAddress } from './address.js';
import type { PeerEnd } from '../peer/peer-connection.js';
import type { Peer } from '../peer/peer.js';
import { redialDelayMs, throttledDelayMs, type RedialLimits } from './redial.js';

/** One node that is, or just was, wanted: its connection, and when to try for one again. */
export class TrackedNode<Connection extends { readonly isReady: boolean } = Peer> {
  /** How many callers of `track` want it. */
  references = 0;
  /** Since when it is no longer wanted. */
  unwantedSinceMs = Infinity;
  peer: Connection | undefined;
  /** Place among those that a caller wants, the first being the most important; the best one that it ever had. */
  rank = Infinity;
  /** Whether it may wait for all that are needed: as long as nobody needs it. */
  isSpare = true;
  private failures = 0;
  private throttles = 0;
  private attempts = 0;
  private nextDialAtMs = -Infinity;
  private lastDialAtMs = -Infinity;
  private readyAtMs: number | undefined;
  private lastEnd: PeerEnd | undefined;
  private lastHost: string | undefined;

  constructor(
    readonly nodeId: string,
    private readonly limits: RedialLimits,
  ) {}

  get isReady(): boolean {
    return this.peer?.isReady ?? false;
  }

  /** Whether the node hung up on us, lately or in the handshake, rather than not being there at all. */
  get hasTurnedUsAway(): boolean {
    const kind = this.lastEnd?.kind;
    return this.references > 0 && !this.isReady && (kind === 'lost' || kind === 'handshake');
  }

  /** Whether a connection should be tried now, as far as this node knows. */
  isDue(nowMs: number): boolean {
    return this.references > 0 && this.peer === undefined && this.nextDialAtMs <= nowMs;
  }

  /** Whether no attempt has failed since it was last connected, if it ever was. */
  get isFresh(): boolean {
    return this.failures === 0 && this.throttles === 0;
  }

  /** A node may have two addresses, of which one is outdated: they take turns. */
  chooseAddress(addresses: readonly PeerAddress[]): PeerAddress | undefined {
    return addresses[this.attempts % addresses.length];
  }

  onDial(peer: Connection, nowMs: number): void {
    this.peer = peer;
    this.attempts += 1;
    this.lastDialAtMs = nowMs;
    this.readyAtMs = undefined;
  }

  onReady(nowMs: number): void {
    this.readyAtMs = nowMs;
    // The address is good: keep to it.
    this.attempts -= 1;
  }

  onEnd(end: PeerEnd, address: PeerAddress, nowMs: number): void {
    const wasStable = this.readyAtMs !== undefined && nowMs - this.readyAtMs >= this.limits.stableAfterMs;
    const isLoopback = isLoopbackAddress(address.host);
    this.peer = undefined;
    this.lastEnd = end;
    this.lastHost = address.host;
    this.throttles = end.kind === 'throttled' ? this.throttles + 1 : 0;
    // Nodes admit their own machine at any rate.
    if (end.kind === 'throttled' && !isLoopback && this.throttles <= this.limits.maxThrottles) {
      this.nextDialAtMs = nowMs + throttledDelayMs(this.limits);
      return;
    }
    this.failures = wasStable ? 0 : this.failures + 1;
    this.nextDialAtMs = nowMs + redialDelayMs(this.failures, isLoopback, this.limits);
  }

  /** A new address deserves an early attempt, though no node can make us dial it as often as it likes. */
  onNewAddress(): void {
    this.nextDialAtMs = Math.min(this.nextDialAtMs, this.lastDialAtMs + this.limits.remoteDelayMs);
    this.failures = Math.min(this.failures, 1);
  }

  /** The node may have refused the old version, so the failures under it no longer count. */
  onNewClientVersion(): void {
    const { loopbackDelayMs, remoteDelayMs } = this.limits;
    const isLoopback = this.lastHost !== undefined && isLoopbackAddress(this.lastHost);
    const earliestMs = this.lastDialAtMs + (isLoopback ? loopbackDelayMs : remoteDelayMs);
    this.nextDialAtMs = Math.min(this.nextDialAtMs, earliestMs);
    this.failures = 0;
  }

  describe(hasAddress: boolean): string {
    if (this.isReady) {
      return 'connected';
    }
    if (this.peer !== undefined) {
      return 'connecting';
    }
    return this.lastEnd?.text ?? (hasAddress ? 'waiting to be dialled' : 'no address');
  }
}

import type { SecureContext } from 'node:tls';
import type { Logger } from '../../logger.js';
import type { ClaimedIpPort } from '../../proto/generated/p2p_pb.js';
import type { PeerAddress } from './address.js';
import type { AppRequest, AppRequestNetwork } from './app-request-network.js';
import type { ChainNetwork, ChainRequest } from './chain-network.js';
import type { ChainAnswers, ChainQuestion } from '../messages/chain-question.js';
import { PeerRequestError } from '../peer-request.error.js';
import { PenaltyBox, DEFAULT_PENALTY_LIMITS, type PenaltyLimits } from './penalty-box.js';
import { Greeting } from '../peer/greeting.js';
import { compareVersions, type ClientVersion } from '../peer/handshake.js';
import { makeSecureContext, type PeerEnd } from '../peer/peer-connection.js';
import { PeerDirectory } from './peer-directory.js';
import {
  DEFAULT_PEER_EXCHANGE_LIMITS,
  PeerExchange,
  type PeerExchangeLimits,
} from '../peer/peer-exchange.js';
import { DEFAULT_PEER_LIMITS, InboundMemory, type PeerLimits, SharedMemory } from '../peer/peer-limits.js';
import { Peer } from '../peer/peer.js';
import { SharedInbound } from './shared-inbound.js';
import { DEFAULT_REDIAL_LIMITS, type RedialLimits } from './redial.js';
import type { TlsIdentity } from '../peer/tls-identity.js';
import { TokenBucket, type Rate } from '../peer/token-bucket.js';
import { TrackedNode } from './tracked-node.js';
import { Traffic } from '../traffic.js';

export type { PeerAddress } from './address.js';

/** Bounds of all connections of a network together. */
export interface PeerNetworkLimits extends PeerLimits, RedialLimits, PenaltyLimits, PeerExchangeLimits {
  /** Connections being made at once: each costs a TLS handshake of some milliseconds on the one thread. */
  maxConcurrentDials: number;
  /** Of these, so many at most to nodes that could not be connected the last time: they may take all their time to fail again. */
  maxDoubtfulDials: number;
  /** How fast nodes are dialled that are not needed soon: each TLS handshake takes time from signing. */
  spareDials: Rate;
  /** Bytes as `inboundBytes` counts them, of all nodes together that are not staked: a fifth of the thread's time. */
  sharedInboundBytes: Rate;
  /** Memory for unfinished messages of staked nodes, and as much for those of all others. */
  maxInboundBytes: number;
  /** Memory for messages that nodes have not read. */
  maxUnreadBytes: number;
  /** Addresses kept, of each of the two kinds. The largest network has some thousand nodes. */
  maxAddresses: number;
  /** A connection stays so long after the last caller that wanted it. */
  lingerMs: number;
  /** How exactly timeouts are kept. */
  tickMs: number;
}

const DEFAULT_PEER_NETWORK_LIMITS: PeerNetworkLimits = {
  ...DEFAULT_PEER_LIMITS,
  ...DEFAULT_REDIAL_LIMITS,
  ...DEFAULT_PENALTY_LIMITS,
  ...DEFAULT_PEER_EXCHANGE_LIMITS,
  maxConcurrentDials: 64,
  maxDoubtfulDials: 32,
  spareDials: { burst: 100, perSecond: 100 },
  sharedInboundBytes: { burst: 32 * 1024 * 1024, perSecond: 6 * 1024 * 1024 },
  maxInboundBytes: 64 * 1024 * 1024,
  maxUnreadBytes: 64 * 1024 * 1024,
  maxAddresses: 20_000,
  lingerMs: 60_000,
  tickMs: 250,
};

export interface PeerNetworkOptions {
  networkId: number;
  /** No other process may use it at the same time: nodes keep one connection per node id. */
  identity: TlsIdentity;
  /** The client version that we claim. Nodes refuse versions below their network's floor and other major versions. */
  clientVersion: ClientVersion;
  /** Dial loopback, local networks and the like; on a public network their only use is an attack. */
  allowPrivateAddresses?: boolean;
  logger: Logger;
  limits?: Partial<PeerNetworkLimits>;
}

/** The real network: keeps the wanted nodes connected and asks them things. One per network and identity. */
export class PeerNetwork implements AppRequestNetwork, ChainNetwork {
  private readonly limits: PeerNetworkLimits;
  readonly traffic = new Traffic();
  private readonly logger: Logger;
  private readonly greeting: Greeting;
  private readonly secureContext: SecureContext;
  private readonly stakedMemory: InboundMemory;
  private readonly otherMemory: InboundMemory;
  private readonly unreadMemory: SharedMemory;
  private readonly directory: PeerDirectory;
  private readonly exchange: PeerExchange;
  private readonly benched: PenaltyBox;
  private readonly sharedInbound: SharedInbound;
  private staked: ReadonlySet<string> = new Set();
  private readonly nodes = new Map<string, TrackedNode>();
  private readonly connectedListeners = new Set<(nodeId: string) => void>();
  private readonly timer: NodeJS.Timeout;
  private dialling = 0;
  private doubtfulDials = 0;
  private readonly spareDials: TokenBucket;
  /** Nodes that were due at the last check, the first to dial last. */
  private due: TrackedNode[] = [];
  private isDialScheduled = false;
  private isClosed = false;
  private hasWarnedOfRefusal = false;

  constructor(private readonly options: PeerNetworkOptions) {
    this.limits = { ...DEFAULT_PEER_NETWORK_LIMITS, ...options.limits };
    this.logger = options.logger;
    this.greeting = new Greeting(options);
    this.secureContext = makeSecureContext(options.identity);
    this.stakedMemory = new InboundMemory(this.limits.maxInboundBytes);
    this.otherMemory = new InboundMemory(this.limits.maxInboundBytes);
    this.unreadMemory = new SharedMemory(this.limits.maxUnreadBytes);
    this.directory = new PeerDirectory(this.limits.maxAddresses, (nodeId) => this.nodes.has(nodeId));
    this.exchange = new PeerExchange(this.directory, this.limits);
    this.benched = new PenaltyBox(this.limits);
    this.sharedInbound = new SharedInbound(this.limits.sharedInboundBytes, performance.now());
    this.spareDials = new TokenBucket(this.limits.spareDials, performance.now());
    this.timer = setInterval(() => this.tick(), this.limits.tickMs).unref();
  }

  /** Adds or replaces addresses from a trusted source: configuration, or `info.peers` of our own node. */
  setAddresses(addresses: readonly PeerAddress[]): void {
    this.onNewAddresses(this.directory.setAddresses(addresses));
  }

  /** Takes effect with the next connection, and nodes that refused the version before are tried again soon. */
  setClientVersion(version: ClientVersion): void {
    const isOther = compareVersions(version, this.greeting.clientVersion) !== 0;
    this.greeting.clientVersion = version;
    if (!isOther) return;
    this.hasWarnedOfRefusal = false;
    this.nodes.forEach((node) => node.onNewClientVersion());
    this.scheduleDialling();
  }

  get networkId(): number {
    return this.options.networkId;
  }

  get clientVersion(): ClientVersion {
    return this.greeting.clientVersion;
  }

  /** Whether more of the wanted nodes hang up on us than keep us: then it is us whom they dislike. */
  get isTurnedAway(): boolean {
    const nodes = [...this.nodes.values()];
    const turnedAway = nodes.filter((node) => node.hasTurnedUsAway).length;
    return turnedAway > nodes.filter((node) => node.isReady).length;
  }

  /** `needed`: so many of the first are dialled as fast as can be, those behind them at leisure unless they are needed elsewhere. */
  track(nodeIds: readonly string[], needed?: number): () => void {
    const nodes = [...new Set(nodeIds)].filter((nodeId) => nodeId !== this.options.identity.nodeId);
    if (nodes.some((nodeId) => !this.nodes.has(nodeId))) this.exchange.hurry();
    nodes.forEach((nodeId, rank) => this.addReference(nodeId, rank, needed));
    this.scheduleDialling();
    let isReleased = false;
    return () => {
      if (!isReleased) {
        isReleased = true;
        nodes.forEach((nodeId) => this.removeReference(nodeId));
      }
    };
  }

  /**
   * Nodes whose stake vouches for them: anyone becomes the validator of an L1 for little. They do not share an allowance, and from their
   * next connection on have memory apart from all others.
   */
  setStaked(nodeIds: Iterable<string>): void {
    this.staked = new Set(nodeIds);
  }

  isConnected(nodeId: string): boolean {
    return this.nodes.get(nodeId)?.isReady ?? false;
  }

  /** Whether a node is not connected and cannot be at any address that is known: none, or the last attempt failed. */
  lacksAddress(nodeId: string): boolean {
    const node = this.nodes.get(nodeId);
    if (node?.isReady === true) return false;
    return node?.isFresh === false || this.directory.addressesOf(nodeId).length === 0;
  }

  /** The connected nodes, and what they claim to run. */
  connectedPeers(): { nodeId: string; clientVersion: ClientVersion | undefined }[] {
    return this.readyPeers().map(({ nodeId, clientVersion }) => ({ nodeId, clientVersion }));
  }

  /** Where a node may be. */
  hostsOf(nodeId: string): string[] {
    return this.directory.addressesOf(nodeId).map(({ host }) => host);
  }

  onConnected(listener: (nodeId: string) => void): () => void {
    // Wrapped, so that a listener that is added twice is called twice and removed once.
    const own = (nodeId: string): void => listener(nodeId);
    this.connectedListeners.add(own);
    return () => this.connectedListeners.delete(own);
  }

  appRequest(request: AppRequest): Promise<Uint8Array> {
    const { nodeId } = request;
    const peer = this.nodes.get(nodeId)?.peer;
    if (peer === undefined) return Promise.reject(this.notConnected(nodeId));
    return peer.request(request);
  }

  async ask<Question extends ChainQuestion>(
    question: Question,
    { nodeId, ...request }: ChainRequest,
  ): Promise<ChainAnswers[Question['kind']]> {
    const peer = this.nodes.get(nodeId)?.peer;
    if (peer === undefined) throw this.notConnected(nodeId);
    return peer.ask(question, request);
  }

  /** Wanted nodes, those of them that are connected, and those that are benched. */
  count(): { tracked: number; connected: number; benched: number; addresses: number } {
    return {
      tracked: this.nodes.size,
      connected: this.readyPeers().length,
      benched: this.benched.count(performance.now()),
      addresses: this.directory.size,
    };
  }

  /** Disconnects a node that broke the protocol, for a while that grows when it happens again. */
  private bench(nodeId: string, reason: string): void {
    const nowMs = performance.now();
    if (this.benched.reason(nodeId, nowMs) === undefined) {
      const seconds = Math.round((this.benched.add(nodeId, reason, nowMs) - nowMs) / 1000);
      this.logger.warn(`${nodeId} is left alone for ${seconds} s: ${reason}`);
    }
    this.nodes.get(nodeId)?.peer?.end({ kind: 'closed', text: `benched: ${reason}` });
  }

  connectionState(nodeId: string): string {
    const reason = this.benched.reason(nodeId, performance.now());
    if (reason !== undefined) {
      return `benched: ${reason}`;
    }
    const hasAddress = this.directory.addressesOf(nodeId).length > 0;
    return this.nodes.get(nodeId)?.describe(hasAddress) ?? 'not tracked';
  }

  /** Ends every connection; pending requests reject. Nothing can be asked afterwards. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    this.connectedListeners.clear();
    for (const { peer } of this.nodes.values()) {
      peer?.end({ kind: 'closed', text: 'the network was closed' });
    }
    this.nodes.clear();
  }

  private notConnected(nodeId: string): PeerRequestError {
    const text = `${nodeId} is not connected: ${this.connectionState(nodeId)}`;
    return new PeerRequestError('NOT_CONNECTED', text);
  }

  private addReference(nodeId: string, rank: number, needed: number | undefined): void {
    const known = this.nodes.get(nodeId);
    const node = known ?? new TrackedNode(nodeId, this.limits);
    this.nodes.set(nodeId, node);
    // A caller that does not specify how many it needs takes the connected ones, and makes no known node more urgent.
    const isNeeded = needed === undefined ? known === undefined : rank < needed;
    if (isNeeded) node.isSpare = false;
    node.references += 1;
    node.rank = Math.min(node.rank, rank);
    node.unwantedSinceMs = Infinity;
  }

  private removeReference(nodeId: string): void {
    const node = this.nodes.get(nodeId);
    if (node === undefined) {
      return;
    }
    node.references -= 1;
    if (node.references === 0) {
      node.unwantedSinceMs = performance.now();
    }
  }

  private onNewAddresses(nodeIds: readonly string[]): void {
    nodeIds.forEach((nodeId) => this.nodes.get(nodeId)?.onNewAddress());
    this.scheduleDialling();
  }

  private tick(): void {
    const nowMs = performance.now();
    let isSomeoneMissing = false;
    for (const node of [...this.nodes.values()]) {
      node.peer?.tick(nowMs);
      isSomeoneMissing ||= node.references > 0 && !node.isReady;
      if (nowMs - node.unwantedSinceMs >= this.limits.lingerMs) {
        this.nodes.delete(node.nodeId);
        node.peer?.end({ kind: 'closed', text: 'no longer needed' });
      }
    }
    this.exchange.tick(nowMs, isSomeoneMissing, () => this.readyPeers());
    this.findDue();
    this.dialDue();
  }

  private readyPeers(): Peer[] {
    return [...this.nodes.values()].flatMap(({ peer }) => (peer?.isReady === true ? [peer] : []));
  }

  /** Many reasons to look for a node to dial come at once; one look is enough. */
  private scheduleDialling(): void {
    if (!this.isDialScheduled) {
      this.isDialScheduled = true;
      setImmediate(() => {
        this.isDialScheduled = false;
        this.findDue();
        this.dialDue();
      });
    }
  }

  private findDue(): void {
    const nowMs = performance.now();
    this.due = [...this.nodes.values()]
      .filter((node) => this.isDue(node, nowMs))
      .sort(byUrgency)
      .reverse();
  }

  private isDue(node: TrackedNode, nowMs: number): boolean {
    return (
      node.isDue(nowMs) &&
      this.benched.reason(node.nodeId, nowMs) === undefined &&
      this.directory.addressesOf(node.nodeId).length > 0
    );
  }

  private dialDue(): void {
    const nowMs = performance.now();
    while (!this.isClosed && this.dialling < this.limits.maxConcurrentDials) {
      const node = this.due.pop();
      if (node === undefined) return;
      if (!this.isDue(node, nowMs)) continue;
      if (!node.isFresh && this.doubtfulDials >= this.limits.maxDoubtfulDials) continue;
      if (node.isSpare && !this.spareDials.take(1, nowMs)) continue;
      const address = node.chooseAddress(this.directory.addressesOf(node.nodeId));
      if (address !== undefined) this.dial(node, address, nowMs);
    }
  }

  private dial(node: TrackedNode, address: PeerAddress, nowMs: number): void {
    const { isFresh } = node;
    this.dialling += 1;
    if (!isFresh) this.doubtfulDials += 1;
    let isDialling = true;
    let isConnected = false;
    const onDialled = (): void => {
      if (!isDialling) return;
      isDialling = false;
      this.dialling -= 1;
      if (!isFresh) this.doubtfulDials -= 1;
      setImmediate(() => this.dialDue());
    };
    const { firstSecureTimeoutMs, handshakeTimeoutMs } = this.limits;
    const peer = new Peer({
      address,
      networkId: this.options.networkId,
      secureContext: this.secureContext,
      allowPrivateAddresses: address.isPrivateAllowed ?? this.options.allowPrivateAddresses ?? false,
      limits: this.limits,
      secureTimeoutMs: isFresh ? firstSecureTimeoutMs : handshakeTimeoutMs,
      memory: this.staked.has(node.nodeId) ? this.stakedMemory : this.otherMemory,
      unreadMemory: this.unreadMemory,
      traffic: this.traffic,
      onCharge: (bytes) => this.charge(node.nodeId, bytes),
      makeHandshake: () => this.greeting.makeHandshake(this.exchange.knownPeers(performance.now())),
      onReady: () => {
        isConnected = true;
        this.traffic.onDialled('connected');
        onDialled();
        this.onReady(node, address);
      },
      onPeerList: (_, claims) => this.onPeerList(claims),
      onEnd: (_, end) => {
        if (isConnected) this.traffic.onEnd(end.kind);
        else this.traffic.onDialled(end.kind);
        onDialled();
        this.onEnd(node, address, end);
      },
    });
    node.onDial(peer, nowMs);
  }

  private charge(nodeId: string, bytes: number): void {
    if (this.staked.has(nodeId)) return;
    const loudest = this.sharedInbound.charge(nodeId, bytes, performance.now());
    if (loudest === undefined) return;
    this.nodes.get(loudest)?.peer?.end({ kind: 'offence', text: 'sent the most of too many bytes' });
  }

  private onReady(node: TrackedNode, { host, port }: PeerAddress): void {
    node.onReady(performance.now());
    this.logger.debug(`connected to ${node.nodeId} at ${host} port ${port}`);
    for (const listener of [...this.connectedListeners]) {
      try {
        listener(node.nodeId);
      } catch (error) {
        this.logger.warn(`a listener for connections failed: ${String(error)}`);
      }
    }
  }

  private onPeerList(claims: readonly ClaimedIpPort[]): void {
    this.onNewAddresses(this.directory.learn(claims, BigInt(Math.floor(Date.now() / 1000))));
  }

  private onEnd(node: TrackedNode, address: PeerAddress, end: PeerEnd): void {
    this.sharedInbound.forget(node.nodeId);
    node.onEnd(end, address, performance.now());
    this.logger.debug(`${node.nodeId} at ${address.host} port ${address.port}: ${end.text}`);
    if (end.kind === 'offence') {
      this.bench(node.nodeId, end.text);
    }
    if (end.kind === 'handshake' && !this.hasWarnedOfRefusal) {
      this.hasWarnedOfRefusal = true;
      this.logger.warn(
        `${node.nodeId}: ${end.text}. Nodes give no reasons; we are ${this.greeting.describe()}`,
      );
    }
  }
}

/** Those that are needed, then those that are not; of each the nodes that have not failed come first, and of these the heavy ones. */
function byUrgency(a: TrackedNode, b: TrackedNode): number {
  return Number(a.isSpare) - Number(b.isSpare) || Number(b.isFresh) - Number(a.isFresh) || a.rank - b.rank;
}

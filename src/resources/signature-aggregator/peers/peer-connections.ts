import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import type { PeerNetwork } from '../../../avalanche/p2p/network/peer-network.js';
import { TlsIdentity } from '../../../avalanche/p2p/peer/tls-identity.js';
import { Config } from '../../../platform/config/config.module.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { Networks } from '../../../platform/networks/networks.module.js';
import { OpenPeers } from '../../../platform/networks/open-peers.js';
import { ServedQueues } from '../../../platform/temporal/served-queues.module.js';
import { type IdentitySlot, takeIdentitySlot } from './identity-slot.js';
import { NetworkPeers } from './network-peers.js';
import { type Standing, StandingOnNetwork } from './standing.js';
import { SignatureRepository } from '../store/signature.repository.js';

/** How often the primary network's validators are checked: a process that serves only L1s would otherwise lose touch with them. */
const FOLLOW_INTERVAL_MS = 60_000;
/** While a network could not be connected yet. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 30_000;
/** How often the connected stake is looked at. */
const WATCH_INTERVAL_MS = 250;
/** How often the validators' addresses are looked for while too few are connected; who is asked limits it further. */
const LOOK_AGAIN_MS = 2_000;
/** L1s whose validators are connected again after a restart: those that signed lately. */
const MAX_RECENT_SUBNETS = 64;
const RECENT_DAYS = 7;

/**
 * The worker's p2p connections: they live outside any activity, one set per network, and are borrowed by activities.
 * The validators of the primary network, and of the L1s that signed lately, are connected right at the start, so that the first
 * request is fast already.
 */
@Injectable()
export class PeerConnections implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(PeerConnections.name);
  /** By network. */
  private readonly started = new Map<string, Promise<NetworkPeers>>();
  /** Those of them that have begun. */
  readonly open = new Map<string, NetworkPeers>();
  /** By network. One whose validators are not known is not here: no process is better off, and what keeps them is reported by itself. */
  private readonly standings = new Map<string, StandingOnNetwork>();
  private readonly lookedAgainAtMs = new Map<string, number>();
  private readonly stopped = new AbortController();
  private slot: Promise<IdentitySlot> | undefined;

  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly queues: ServedQueues,
    private readonly signatures: SignatureRepository,
    private readonly openPeers: OpenPeers,
  ) {
    // From the beginning, for workers may be started before the peers are.
    if (!this.collects) return;
    for (const { name } of networks.all()) this.standings.set(name, new StandingOnNetwork());
  }

  /** The peers to ask for signatures of this validator set. Throws RpcError when the network's node cannot be asked. */
  async of(network: Network, at: ValidatorSetAtHeight): Promise<PeerNetwork> {
    const peers = await this.peersOf(network);
    // The set that a caller names by its height may be an old one; the present one is to be there for the next.
    if (!peers.tracks(at.subnetId)) void this.attempt(network, at.subnetId);
    return peers.use(at);
  }

  onApplicationBootstrap(): void {
    if (!this.isUsed) return;
    for (const network of this.networks.all()) void this.follow(network);
    void this.watch();
  }

  /** Whether this process aggregates at all. */
  get collects(): boolean {
    return this.queues.includes('signatures');
  }

  /** Indexes read chains from them. */
  private get isUsed(): boolean {
    return this.collects || this.queues.includes('indexing');
  }

  /**
   * Whether aggregations may be taken: no network is isolated. A process that is cut off would fail what another one could do, so it
   * leaves them to others, for a bounded time.
   */
  get takesWork(): boolean {
    return [...this.standings.values()].every(({ current }) => current !== 'isolated');
  }

  /** Whether an aggregation may have failed here for want of peers that another process has. */
  isCutOff(network: string): boolean {
    return (this.standings.get(network)?.current ?? 'connected') !== 'connected';
  }

  /** Troubles that keep this process from working well, for people; by network. */
  troubles(): { network: string; standing: Standing; text: string }[] {
    return [...this.standings].flatMap(([network, { current: standing }]) => {
      if (standing === 'connected') return [];
      const percent = Math.floor(100 * (this.open.get(network)?.primaryShare() ?? 0));
      const text = `this process is connected to ${percent} % of the primary network's stake`;
      return [{ network, standing, text }];
    });
  }

  /** Resolves when `takesWork` is as wanted, or the signal is aborted. */
  async whenWork(isTaken: boolean, signal: AbortSignal): Promise<void> {
    while (this.takesWork !== isTaken && !signal.aborted) {
      await delay(WATCH_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped.abort();
    for (const started of await Promise.allSettled([...this.started.values()])) {
      if (started.status === 'fulfilled') await started.value.close();
    }
    await (await this.slot)?.release();
  }

  /** Until the process ends. What fails is tried again: a node that is away now is there in a minute. */
  private async follow(network: Network): Promise<void> {
    let pauseMs = RETRY_MIN_MS;
    let isWarm = false;
    while (!this.stopped.signal.aborted) {
      const isConnected = await this.attempt(network, PRIMARY_NETWORK_ID);
      this.considerStanding(network.name);
      if (isConnected && !isWarm) void this.warmUpL1s(network);
      isWarm ||= isConnected;
      await this.pause(isConnected ? FOLLOW_INTERVAL_MS : pauseMs);
      pauseMs = isConnected ? RETRY_MIN_MS : Math.min(2 * pauseMs, RETRY_MAX_MS);
    }
  }

  /** While a network's validators are not known, other networks do not wait for them, nor once they are. */
  private considerStanding(network: string): void {
    if (this.open.get(network)?.knowsValidators !== true) {
      this.standings.delete(network);
    } else if (this.collects && !this.standings.has(network)) {
      this.standings.set(network, new StandingOnNetwork('degraded'));
    }
  }

  private async watch(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      for (const [network, standing] of this.standings) {
        const before = standing.current;
        const peers = this.open.get(network);
        if (peers === undefined) continue;
        standing.update(peers.primaryShare(), performance.now());
        if (standing.current !== before) this.report(network, standing);
        if (standing.isPoor) this.lookAgain(network);
      }
      await this.pause(WATCH_INTERVAL_MS);
    }
  }

  /** Validators may have moved, and no request looks for them while others get the requests. */
  private lookAgain(network: string): void {
    const nowMs = performance.now();
    if (nowMs - (this.lookedAgainAtMs.get(network) ?? -Infinity) < LOOK_AGAIN_MS) return;
    this.lookedAgainAtMs.set(network, nowMs);
    void this.attempt(this.networks.byName(network), PRIMARY_NETWORK_ID);
  }

  private report(network: string, { current }: StandingOnNetwork): void {
    const percent = Math.floor(100 * (this.open.get(network)?.primaryShare() ?? 0));
    const stake = `${network}: connected to ${percent} % of the primary network's stake`;
    if (current === 'connected') this.logger.log(stake);
    else if (current === 'isolated') this.logger.warn(`${stake}: aggregations are left to other processes`);
    else this.logger.warn(`${stake} for a minute: aggregations are taken nevertheless, and many may fail`);
  }

  private async warmUpL1s(network: Network): Promise<void> {
    try {
      const subnetIds = await this.signatures.findRecentSubnets(network.name, {
        days: RECENT_DAYS,
        limit: MAX_RECENT_SUBNETS,
      });
      for (const subnetId of subnetIds) {
        if (subnetId !== PRIMARY_NETWORK_ID) await this.attempt(network, subnetId);
      }
    } catch (error) {
      this.logger.warn(`${network.name}: L1s in use are not connected ahead: ${String(error)}`);
    }
  }

  /** Whether these validators are being connected now. */
  private async attempt(network: Network, subnetId: string): Promise<boolean> {
    try {
      const [peers, at] = await Promise.all([
        this.peersOf(network),
        network.getValidatorSet({ subnetId, pChainHeight: 0n }),
      ]);
      if (!this.stopped.signal.aborted) peers.use(at);
      return true;
    } catch (error) {
      this.logger.warn(`${network.name}: validators of ${subnetId} are not connected yet: ${String(error)}`);
      return false;
    }
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.stopped.signal, ref: false }).catch(() => undefined);
  }

  private peersOf(network: Network): Promise<NetworkPeers> {
    let peers = this.started.get(network.name);
    if (peers === undefined) {
      peers = this.start(network);
      this.started.set(network.name, peers);
      peers.catch(() => this.started.delete(network.name));
    }
    return peers;
  }

  private async start(network: Network): Promise<NetworkPeers> {
    const peers = await NetworkPeers.start(network, await this.identityOf(network), this.logger);
    this.open.set(network.name, peers);
    this.openPeers.set(network.name, peers.peers);
    return peers;
  }

  private async identityOf(network: Network): Promise<TlsIdentity> {
    const dir = join(this.config.dataDir, 'p2p');
    this.slot ??= takeIdentitySlot(dir).catch((error: unknown) => {
      this.slot = undefined; // tried again, as everything else
      throw error;
    });
    return TlsIdentity.loadOrCreate(dir, `${network.name}-${(await this.slot).number}`);
  }
}

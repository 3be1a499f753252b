import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import type { AppRequestNetwork } from '../../../avalanche/p2p/network/app-request-network.js';
import { TlsIdentity } from '../../../avalanche/p2p/peer/tls-identity.js';
import { Config } from '../../../platform/config/config.module.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { Networks } from '../../../platform/networks/networks.module.js';
import { ServedQueues } from '../../../platform/temporal/served-queues.module.js';
import { type IdentitySlot, takeIdentitySlot } from './identity-slot.js';
import { NetworkPeers } from './network-peers.js';
import { SignatureRepository } from '../store/signature.repository.js';

/** How often the primary network's validators are checked: a process that serves only L1s would otherwise lose touch with them. */
const FOLLOW_INTERVAL_MS = 60_000;
/** While a network could not be connected yet. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 30_000;
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
  private readonly stopped = new AbortController();
  private slot: Promise<IdentitySlot> | undefined;

  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly queues: ServedQueues,
    private readonly signatures: SignatureRepository,
  ) {}

  /** The peers to ask for signatures of this validator set. Throws RpcError when the network's node cannot be asked. */
  async of(network: Network, at: ValidatorSetAtHeight): Promise<AppRequestNetwork> {
    return (await this.peersOf(network)).use(at);
  }

  onApplicationBootstrap(): void {
    if (!this.queues.includes('signatures')) return;
    for (const network of this.networks.all()) void this.follow(network);
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
      if (isConnected && !isWarm) void this.warmUpL1s(network);
      isWarm ||= isConnected;
      await this.pause(isConnected ? FOLLOW_INTERVAL_MS : pauseMs);
      pauseMs = isConnected ? RETRY_MIN_MS : Math.min(2 * pauseMs, RETRY_MAX_MS);
    }
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
    return peers;
  }

  private async identityOf(network: Network): Promise<TlsIdentity> {
    const dir = join(this.config.dataDir, 'p2p');
    this.slot ??= takeIdentitySlot(dir);
    return TlsIdentity.loadOrCreate(dir, `${network.name}-${(await this.slot).number}`);
  }
}

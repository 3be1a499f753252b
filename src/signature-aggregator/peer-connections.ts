import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIMARY_NETWORK_ID } from '../avalanche/ids/id.js';
import type { AppRequestNetwork } from '../avalanche/p2p/app-request-network.js';
import { TlsIdentity } from '../avalanche/p2p/tls-identity.js';
import { Config } from '../config/config.module.js';
import type { Network, ValidatorSetAtHeight } from '../networks/network.js';
import { Networks } from '../networks/networks.module.js';
import { ServedQueues } from '../temporal/served-queues.js';
import { type IdentitySlot, takeIdentitySlot } from './identity-slot.js';
import { NetworkPeers } from './network-peers.js';

/**
 * The worker's p2p connections: they live outside any activity, one set per network, and are borrowed by activities.
 * The validators of the primary network are connected right at the start, so that the first request is fast already.
 */
@Injectable()
export class PeerConnections implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(PeerConnections.name);
  private readonly started = new Map<string, Promise<NetworkPeers>>();
  private slot: Promise<IdentitySlot> | undefined;

  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly queues: ServedQueues,
  ) {}

  /** The peers to ask for signatures of this validator set. Throws RpcError when the network's node cannot be asked. */
  async of(network: Network, at: ValidatorSetAtHeight): Promise<AppRequestNetwork> {
    return (await this.peersOf(network)).use(at);
  }

  onApplicationBootstrap(): void {
    if (!this.queues.includes('signatures')) return;
    for (const network of this.networks.all()) void this.warmUp(network);
  }

  async onApplicationShutdown(): Promise<void> {
    for (const started of await Promise.allSettled([...this.started.values()])) {
      if (started.status === 'fulfilled') await started.value.close();
    }
    await (await this.slot)?.release();
  }

  private async warmUp(network: Network): Promise<void> {
    try {
      const at = await network.getValidatorSet({ subnetId: PRIMARY_NETWORK_ID, pChainHeight: 0n });
      await this.of(network, at);
    } catch (error) {
      this.logger.warn(`${network.name} is not connected ahead, the first request will: ${String(error)}`);
    }
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
    return NetworkPeers.start(network, await this.identityOf(network), this.logger);
  }

  private async identityOf(network: Network): Promise<TlsIdentity> {
    const { P2P_TLS_CERT_FILE, P2P_TLS_KEY_FILE } = this.config.env;
    if (P2P_TLS_CERT_FILE !== undefined && P2P_TLS_KEY_FILE !== undefined) {
      return TlsIdentity.fromPem(
        await readFile(P2P_TLS_CERT_FILE, 'utf8'),
        await readFile(P2P_TLS_KEY_FILE, 'utf8'),
      );
    }
    const dir = join(this.config.dataDir, 'p2p');
    this.slot ??= takeIdentitySlot(dir);
    return TlsIdentity.loadOrCreate(dir, `${network.name}-${(await this.slot).number}`);
  }
}

import { Global, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.module.js';
import { isPublicNetwork, nodeSettingOf } from '../config/network-names.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { Network } from './network.js';
import { NetworkError } from './network.error.js';
import { NodeLimiters } from './node-limiters.js';
import { OpenPeers } from './open-peers.js';
import { NodeMetrics } from './node-metrics.js';

/** The configured networks by name. */
@Injectable()
export class Networks implements OnApplicationShutdown {
  private readonly networks: ReadonlyMap<string, Network>;

  constructor(config: Config, { listener: onCall }: NodeMetrics) {
    const configured = config.networks.filter(({ isEnabled }) => isEnabled);
    this.networks = new Map(
      configured.map((network) => [
        network.name,
        new Network(network, { timeoutMs: config.env.NODE_TIMEOUT_MS, onCall }),
      ]),
    );
  }

  /** Throws NETWORK_NOT_CONFIGURED, also for a name that does not exist. */
  byName(name: string): Network {
    const network = this.networks.get(name);
    if (network === undefined) {
      throw new NetworkError('NETWORK_NOT_CONFIGURED', `${name} is not configured: ${howTo(name)}`);
    }
    return network;
  }

  all(): Network[] {
    return [...this.networks.values()];
  }

  onApplicationShutdown(): void {
    for (const network of this.networks.values()) network.close();
  }
}

function howTo(name: string): string {
  return isPublicNetwork(name)
    ? `set NETWORKS=${name} or ${nodeSettingOf(name)}`
    : 'name it in NETWORKS_FILE';
}

@Global()
@Module({
  imports: [MetricsModule],
  providers: [Networks, NodeLimiters, NodeMetrics, OpenPeers],
  exports: [Networks, NodeLimiters, NodeMetrics, OpenPeers],
})
export class NetworksModule {}

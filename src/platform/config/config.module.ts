import { Global, Module } from '@nestjs/common';
import { resolve } from 'node:path';
import { hrpOfNetwork } from '../../avalanche/ids/address.js';
import { type Env, parseEnv } from './env.schema.js';
import {
  type NetworkName,
  PUBLIC_NETWORK_IDS,
  type PublicNetwork,
  serveNetworkNames,
} from './network-names.js';
import { type FileNetwork, type OwnNetwork, readNetworksFile } from './networks-file.js';

export type { NetworkName } from './network-names.js';

export interface NetworkConfig {
  name: NetworkName;
  /** Whether it is served at all. */
  isEnabled: boolean;
  /** Where no node can be asked for it. */
  networkId: number;
  nodeUrls: readonly string[];
  sandbox: boolean;
  peers: readonly string[];
  /** Of a network of NETWORKS_FILE. */
  own?: OwnNetwork;
}

/** Human-readable part of the addresses of a network; `networkId`: of the one that its name stands for here. */
export function hrpOf({ own }: Pick<NetworkConfig, 'own'>, networkId: number): string {
  return own?.hrp ?? hrpOfNetwork(networkId);
}

/** So many blocks that every one of the concurrent requests has work for a while. */
const BLOCKS_PER_REQUEST = 125;

/** The typed configuration that everything injects. */
export class Config {
  readonly networks: readonly NetworkConfig[];
  readonly dataDir: string;
  /** Timeout of one request of an index to a node; the answer may hold a thousand blocks. */
  readonly indexRequestTimeoutMs: number;
  /** Maximum number of blocks per transaction while an index catches up. */
  readonly indexBatchBlocks: number;

  constructor(readonly env: Env) {
    this.dataDir = resolve(env.DATA_DIR);
    this.indexRequestTimeoutMs = 4 * env.NODE_TIMEOUT_MS;
    this.indexBatchBlocks = BLOCKS_PER_REQUEST * env.INDEX_CONCURRENCY;
    const further = env.NETWORKS_FILE === undefined ? [] : readNetworksFile(env.NETWORKS_FILE, process.env);
    serveNetworkNames(further.map(({ name }) => name));
    this.networks = [
      this.publicNetwork('mainnet', env.MAINNET_NODE_URL, env.MAINNET_PEERS),
      this.publicNetwork('fuji', env.FUJI_NODE_URL, env.FUJI_PEERS),
      ...further.map((network) => this.furtherNetwork(network)),
    ];
  }

  /** Throws RangeError for a name that is not configured. */
  network(name: NetworkName): NetworkConfig {
    const network = this.networks.find((each) => each.name === name);
    if (network === undefined) throw new RangeError(`there is no network ${name}`);
    return network;
  }

  private publicNetwork(
    name: PublicNetwork,
    nodeUrls: readonly string[],
    peers: readonly string[],
  ): NetworkConfig {
    const listed = this.env.NETWORKS.find((network) => network.name === name);
    return {
      name,
      isEnabled: listed !== undefined || nodeUrls.length > 0,
      networkId: listed?.networkId ?? PUBLIC_NETWORK_IDS[name],
      nodeUrls,
      sandbox: this.env.SANDBOX_NETWORKS.includes(name),
      peers,
    };
  }

  private furtherNetwork({ name, networkId, nodeUrls, peers, own }: FileNetwork): NetworkConfig {
    const sandbox = this.env.SANDBOX_NETWORKS.includes(name);
    return { name, isEnabled: true, networkId, nodeUrls, sandbox, peers, own };
  }
}

@Global()
@Module({
  providers: [{ provide: Config, useFactory: () => new Config(parseEnv(process.env)) }],
  exports: [Config],
})
export class ConfigModule {}

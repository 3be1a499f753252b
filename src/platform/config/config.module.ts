import { Global, Module } from '@nestjs/common';
import { resolve } from 'node:path';
import { type Env, parseEnv } from './env.schema.js';

/** Names under which a network can be asked for; `testnet` is the specification's second name of fuji. */
export const NETWORK_NAMES = ['mainnet', 'fuji'] as const;
export type NetworkName = (typeof NETWORK_NAMES)[number];

/** Of the public networks. */
export const OFFICIAL_NETWORK_IDS: Readonly<Record<NetworkName, number>> = { mainnet: 1, fuji: 5 };

export interface NetworkConfig {
  name: NetworkName;
  /** Whether it is served at all. */
  isEnabled: boolean;
  /** Where no node can be asked for it. */
  networkId: number;
  nodeUrls: readonly string[];
  sandbox: boolean;
  peers: readonly string[];
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
    this.networks = [
      this.network('mainnet', env.MAINNET_NODE_URL, env.MAINNET_PEERS),
      this.network('fuji', env.FUJI_NODE_URL, env.FUJI_PEERS),
    ];
  }

  private network(name: NetworkName, nodeUrls: readonly string[], peers: readonly string[]): NetworkConfig {
    const { NETWORKS, SANDBOX_NETWORKS } = this.env;
    const listed = NETWORKS.find((network) => network.name === name);
    return {
      name,
      isEnabled: listed !== undefined || nodeUrls.length > 0,
      networkId: listed?.networkId ?? OFFICIAL_NETWORK_IDS[name],
      nodeUrls,
      sandbox: SANDBOX_NETWORKS.includes(name),
      peers,
    };
  }
}

@Global()
@Module({
  providers: [{ provide: Config, useFactory: () => new Config(parseEnv(process.env)) }],
  exports: [Config],
})
export class ConfigModule {}

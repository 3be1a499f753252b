import { Global, Module } from '@nestjs/common';
import { resolve } from 'node:path';
import { type Env, parseEnv } from './env.schema.js';

/** Names under which a network can be asked for; `testnet` is the specification's second name of fuji. */
export const NETWORK_NAMES = ['mainnet', 'fuji'] as const;
export type NetworkName = (typeof NETWORK_NAMES)[number];

export interface NetworkConfig {
  name: NetworkName;
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
      {
        name: 'mainnet',
        nodeUrls: env.MAINNET_NODE_URL,
        sandbox: env.SANDBOX_NETWORKS.includes('mainnet'),
        peers: env.MAINNET_PEERS,
      },
      {
        name: 'fuji',
        nodeUrls: env.FUJI_NODE_URL,
        sandbox: env.SANDBOX_NETWORKS.includes('fuji'),
        peers: env.FUJI_PEERS,
      },
    ];
  }
}

@Global()
@Module({
  providers: [{ provide: Config, useFactory: () => new Config(parseEnv(process.env)) }],
  exports: [Config],
})
export class ConfigModule {}

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
  clientVersion: string | undefined;
  allowPrivatePeers: boolean | undefined;
  peers: readonly string[];
}

/** The typed configuration that everything injects. */
export class Config {
  readonly networks: readonly NetworkConfig[];
  readonly dataDir: string;

  constructor(readonly env: Env) {
    this.dataDir = resolve(env.DATA_DIR);
    this.networks = [
      {
        name: 'mainnet',
        nodeUrls: env.MAINNET_NODE_URL,
        sandbox: env.SANDBOX_NETWORKS.includes('mainnet'),
        clientVersion: env.MAINNET_CLIENT_VERSION,
        allowPrivatePeers: env.MAINNET_ALLOW_PRIVATE_PEERS,
        peers: env.MAINNET_PEERS,
      },
      {
        name: 'fuji',
        nodeUrls: env.FUJI_NODE_URL,
        sandbox: env.SANDBOX_NETWORKS.includes('fuji'),
        clientVersion: env.FUJI_CLIENT_VERSION,
        allowPrivatePeers: env.FUJI_ALLOW_PRIVATE_PEERS,
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

import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AvalancheError } from '../avalanche/avalanche.error.js';
import { EvmClient } from '../avalanche/evm/evm-client.js';
import { Config } from '../config/config.module.js';
import { type EvmChain, parseEvmChains } from './evm-chain.js';

/** A chain is not in this process's configuration. */
export class EvmChainError extends AvalancheError<'CHAIN_NOT_CONFIGURED'> {}

/** The configured EVM chains by id. */
@Injectable()
export class EvmChains implements OnApplicationShutdown {
  private readonly chains: ReadonlyMap<bigint, EvmChain>;
  private readonly clients: EvmClient[] = [];
  private readonly shared = new Map<bigint, EvmClient>();

  constructor(private readonly config: Config) {
    this.chains = new Map(readChains(config).map((chain) => [chain.chainId, chain]));
  }

  /** In the order of the file. */
  all(): EvmChain[] {
    return [...this.chains.values()];
  }

  find(chainId: bigint): EvmChain | undefined {
    return this.chains.get(chainId);
  }

  /** @throws EvmChainError `CHAIN_NOT_CONFIGURED` */
  byId(chainId: bigint): EvmChain {
    const chain = this.chains.get(chainId);
    if (chain === undefined)
      throw new EvmChainError('CHAIN_NOT_CONFIGURED', `no EVM chain ${chainId} is configured`);
    return chain;
  }

  /** A client of the chain's nodes with failover, one for all who ask in this process. */
  clientOf(chain: EvmChain): EvmClient {
    let client = this.shared.get(chain.chainId);
    if (client === undefined) {
      client = this.connect(chain.rpcUrls);
      this.shared.set(chain.chainId, client);
    }
    return client;
  }

  /** A client of its own for these URLs; closed with the process. */
  connect(urls: readonly string[]): EvmClient {
    const { env } = this.config;
    const client = EvmClient.connect({
      urls,
      timeoutMs: env.INDEX_REQUEST_TIMEOUT_MS,
      concurrency: env.EVM_INDEX_CONCURRENCY,
      maxBatchSize: env.EVM_INDEX_BATCH_CALLS,
    });
    this.clients.push(client);
    return client;
  }

  onApplicationShutdown(): void {
    for (const client of this.clients) client.close();
  }
}

function readChains({ env, networks }: Config): EvmChain[] {
  const path = resolve(env.EVM_CHAINS_FILE);
  try {
    return parseEvmChains(readFileSync(path, 'utf8'), { networks, env: process.env });
  } catch (error) {
    throw new Error(
      `EVM_CHAINS_FILE: ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

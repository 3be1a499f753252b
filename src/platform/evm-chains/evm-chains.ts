import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AvalancheError } from '../../avalanche/avalanche.error.js';
import type { BatchRpcClientOptions } from '../../avalanche/evm/rpc/batch-rpc-client.js';
import { BlockTracer } from '../../avalanche/evm/transfers/block-tracer.js';
import { EvmClient } from '../../avalanche/evm/rpc/evm-client.js';
import { AvaxClient } from '../../avalanche/rpc/avax-client.js';
import { JsonRpcClient } from '../../avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../avalanche/rpc/platform-client.js';
import { ProposerVmClient } from '../../avalanche/rpc/proposer-vm-client.js';
import { Config } from '../config/config.module.js';
import { Metrics } from '../metrics/metrics.js';
import { NodeLimiters } from '../networks/node-limiters.js';
import { NodeMetrics } from '../networks/node-metrics.js';
import { type EvmChain, isCChain, parseEvmChains } from './evm-chain.js';

/** A longer wait for a throttling host should rather be reported, and the place given to other work. */
const MAX_REST_MS = 5_000;

/** A batch keeps a node as busy as so many single requests. */
const REQUESTS_PER_BATCH = 4;
/** In one batch; the size adapts to what the node can handle. */
const MAX_BATCH_CALLS = 200;

/** Of an answer about a time or an epoch. */
const MAX_TIME_BYTES = 64 * 1024;
/** A node that refuses for a moment would otherwise count as one that does not know. */
const TIME_ATTEMPTS = 3;
/** Behind the address of a node, e.g. `https://host`, where the node serves its other chains too. */
const NODE_PATH = /\/ext\/bc\/[^/]+\/rpc\/?$/;

/** One node of an EVM chain, by itself. */
export interface EvmChainNode {
  readonly evm: EvmClient;
  /** The P-chain at the same address, good for its time; undefined where the address is not that of a node. */
  readonly platform: PlatformClient | undefined;
  /** Its epochs, where the address is that of a node. */
  readonly proposerVm: ProposerVmClient | undefined;
}

/** A chain is not in this process's configuration. */
class EvmChainError extends AvalancheError<'CHAIN_NOT_CONFIGURED'> {}

/** The configured EVM chains. */
@Injectable()
export class EvmChains implements OnApplicationShutdown {
  private readonly chains: readonly EvmChain[];
  private readonly clients: { close(): void }[] = [];
  private readonly shared = new Map<EvmChain, EvmClient>();
  private readonly tracers = new Map<EvmChain, BlockTracer>();
  private readonly nodes = new Map<EvmChain, readonly EvmChainNode[]>();

  constructor(
    private readonly config: Config,
    private readonly limiters: NodeLimiters = new NodeLimiters(config),
    private readonly nodeMetrics: NodeMetrics = new NodeMetrics(new Metrics(), limiters),
  ) {
    this.chains = readChains(config);
  }

  /** In the order of the file. */
  all(): EvmChain[] {
    return [...this.chains];
  }

  /** The C-chain of the network, if it is configured. */
  cChainOf(network: string): EvmChain | undefined {
    return this.chains.find((chain) => chain.network === network && isCChain(chain));
  }

  /** By blockchain id (cb58), if it is configured. */
  ofBlockchain(network: string, blockchainId: string): EvmChain | undefined {
    return this.chains.find((chain) => chain.network === network && chain.blockchainId === blockchainId);
  }

  /** Throws EvmChainError `CHAIN_NOT_CONFIGURED`. */
  of({ network, chainId }: { network: string; chainId: bigint }): EvmChain {
    const chain = this.withId(chainId).find((each) => each.network === network);
    return chain ?? notConfigured(`no EVM chain ${chainId} of ${network} is configured`);
  }

  /** Throws EvmChainError `CHAIN_NOT_CONFIGURED`, also when two networks have one: only one of them can be meant. */
  byId(chainId: bigint): EvmChain {
    const [chain, other] = this.withId(chainId);
    if (chain === undefined) return notConfigured(`no EVM chain ${chainId} is configured`);
    if (other === undefined) return chain;
    return notConfigured(`EVM chain ${chainId} is configured for ${chain.network} and ${other.network}`);
  }

  /** A client of the chain's nodes with failover, one for all who ask in this process. */
  clientOf(chain: EvmChain): EvmClient {
    let client = this.shared.get(chain);
    if (client === undefined) {
      client = this.connect(chain.rpcUrls);
      this.shared.set(chain, client);
    }
    return client;
  }

  /** All of the chain's nodes as tracers, one for all who ask in this process. */
  tracerOf(chain: EvmChain): BlockTracer {
    let tracer = this.tracers.get(chain);
    if (tracer === undefined) {
      tracer = new BlockTracer(chain.rpcUrls.map((url) => this.connect([url])));
      this.tracers.set(chain, tracer);
    }
    return tracer;
  }

  /** The chain's nodes one by one, for questions on which they may differ; the same for all who ask in this process. */
  nodesOf(chain: EvmChain): readonly EvmChainNode[] {
    let nodes = this.nodes.get(chain);
    if (nodes === undefined) {
      nodes = chain.rpcUrls.map((url) => {
        const node = this.connectNode(url);
        return {
          evm: this.connect([url]),
          platform: node && new PlatformClient(node),
          proposerVm: node && new ProposerVmClient(node),
        };
      });
      this.nodes.set(chain, nodes);
    }
    return nodes;
  }

  /** A client of its own for these URLs; closed with the process. */
  connect(
    urls: readonly string[],
    limits: Pick<Partial<BatchRpcClientOptions>, 'maxBatchSize' | 'timeoutMs' | 'maxResponseBytes'> = {},
  ): EvmClient {
    const client = EvmClient.connect({
      urls,
      timeoutMs: this.config.indexRequestTimeoutMs,
      concurrency: Math.ceil(this.config.env.INDEX_CONCURRENCY / REQUESTS_PER_BATCH),
      maxBatchSize: MAX_BATCH_CALLS,
      maxRestMs: MAX_REST_MS,
      limiters: this.limiters,
      onCall: this.nodeMetrics.listener,
      ...limits,
    });
    this.clients.push(client);
    return client;
  }

  /** The same node's `avax` API for what can be imported, where its URL is that of a C-chain; closed with the process. */
  connectAvax(url: string): AvaxClient | undefined {
    const timeoutMs = this.config.indexRequestTimeoutMs;
    const client = AvaxClient.connect(url, { timeoutMs, onCall: this.nodeMetrics.listener });
    if (client !== undefined) this.clients.push(client);
    return client;
  }

  private connectNode(evmUrl: string): JsonRpcClient | undefined {
    const url = new URL(evmUrl);
    if (!NODE_PATH.test(url.pathname)) return undefined;
    url.pathname = url.pathname.replace(NODE_PATH, '');
    const client = new JsonRpcClient({
      urls: [url.href],
      timeoutMs: this.config.indexRequestTimeoutMs,
      maxResponseBytes: MAX_TIME_BYTES,
      attempts: TIME_ATTEMPTS,
      onCall: this.nodeMetrics.listener,
    });
    this.clients.push(client);
    return client;
  }

  private withId(chainId: bigint): EvmChain[] {
    return this.chains.filter((chain) => chain.chainId === chainId);
  }

  onApplicationShutdown(): void {
    for (const client of this.clients) client.close();
  }
}

function notConfigured(message: string): never {
  throw new EvmChainError('CHAIN_NOT_CONFIGURED', message);
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

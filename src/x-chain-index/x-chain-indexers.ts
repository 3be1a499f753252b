import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { JsonRpcClient } from '../avalanche/rpc/json-rpc-client.js';
import { Config, type NetworkConfig, type NetworkName } from '../config/config.module.js';
import { X_CHAIN } from '../database/chains.js';
import { ChainFollower } from '../indexing/chain-follower.js';
import type { IndexPlace } from '../indexing/index-place.js';
import type { Indexer, IndexKind, OpenIndex, ReindexRequest } from '../indexing/indexer.js';
import { Networks } from '../networks/networks.module.js';
import { NodeLimiters } from '../networks/node-limiters.js';
import { FollowedXChain } from './followed-x-chain.js';
import { XChainNode, XChainNodes } from './sources/x-chain-node.js';
import { XChainWriter } from './x-chain-writer.js';

/** A thousand transactions of the time before blocks, mostly far below a kilobyte each. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** The indexers of this process. */
@Injectable()
export class XChainIndexers implements IndexKind, OnApplicationShutdown {
  private readonly logger = new Logger('XChainIndex');
  private readonly indexers = new Map<NetworkName, Indexer>();
  private readonly clients: JsonRpcClient[] = [];

  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly writer: XChainWriter,
    private readonly limiters: NodeLimiters,
  ) {}

  /** Throws NETWORK_NOT_CONFIGURED. */
  find({ network, chain }: IndexPlace): OpenIndex | undefined {
    if (chain !== X_CHAIN) return undefined;
    const { config } = this.networks.byName(network);
    return {
      indexer: this.indexerOf(config),
      title: `the index of the X-chain of ${network}`,
      reset: (request) => this.reset(config.name, request),
    };
  }

  onApplicationShutdown(): void {
    for (const client of this.clients) client.close();
  }

  /** Each block spends what others before it made. */
  private async reset(network: NetworkName, part: ReindexRequest): Promise<void> {
    if (Object.keys(part).length > 0) throw new RangeError('the X-chain is reindexed as a whole');
    await this.writer.reset(network);
  }

  private indexerOf(network: NetworkConfig): Indexer {
    let indexer = this.indexers.get(network.name);
    if (indexer === undefined) {
      indexer = this.create(network);
      this.indexers.set(network.name, indexer);
    }
    return indexer;
  }

  private create({ name, nodeUrls }: NetworkConfig): Indexer {
    const { env } = this.config;
    const client = new JsonRpcClient({
      urls: nodeUrls,
      timeoutMs: env.INDEX_REQUEST_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    this.clients.push(client);
    const options = { concurrency: env.INDEX_CONCURRENCY, limiters: this.limiters };
    const nodes = new XChainNodes(client.perNode().map((rpc) => new XChainNode(rpc, options)));
    const chain = new FollowedXChain({ network: name, writer: this.writer }, nodes, env.INDEX_BATCH_BLOCKS);
    const warn = (text: string): void => this.logger.warn(`${name}: ${text}`);
    return new ChainFollower(chain, nodes, env.INDEX_POLL_MS, warn);
  }
}

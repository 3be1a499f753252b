import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { JsonRpcClient } from '../avalanche/rpc/json-rpc-client.js';
import { Config, type NetworkConfig, type NetworkName } from '../config/config.module.js';
import { Networks } from '../networks/networks.module.js';
import { NodeLimiters } from '../networks/node-limiters.js';
import { P_CHAIN } from '../database/chains.js';
import { ChainFollower } from '../indexing/chain-follower.js';
import type { IndexPlace } from '../indexing/index-place.js';
import type { Indexer, IndexKind, OpenIndex, ReindexRequest } from '../indexing/indexer.js';
import { FollowedPChain } from './followed-p-chain.js';
import { PChainStateRepository } from './p-chain-state.repository.js';
import { PChainWriter } from './p-chain-writer.js';
import { PChainNode, PChainNodes } from './sources/p-chain-node.js';

/** A block has up to 2 MiB, twice that in hex; a range of blocks that is larger is asked for in parts. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** The indexers of this process. Each keeps its chain's state in memory from one activity to the next. */
@Injectable()
export class PChainIndexers implements IndexKind, OnApplicationShutdown {
  private readonly logger = new Logger('PChainIndex');
  private readonly indexers = new Map<NetworkName, Indexer>();
  private readonly clients: JsonRpcClient[] = [];

  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly repository: PChainStateRepository,
    private readonly writer: PChainWriter,
    private readonly limiters: NodeLimiters,
  ) {}

  /** Throws NETWORK_NOT_CONFIGURED. */
  find({ network, chain }: IndexPlace): OpenIndex | undefined {
    if (chain !== P_CHAIN) return undefined;
    const { config } = this.networks.byName(network);
    return {
      indexer: this.indexerOf(config),
      title: `the index of the P-chain of ${network}`,
      reset: (request) => this.reset(config.name, request),
    };
  }

  onApplicationShutdown(): void {
    for (const client of this.clients) client.close();
  }

  /** Each block builds on all before it. */
  private async reset(network: NetworkName, part: ReindexRequest): Promise<void> {
    if (Object.keys(part).length > 0) throw new RangeError('the P-chain is reindexed as a whole');
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
    // Connections of its own: thousands of blocks must not queue in front of a signature's validator set.
    const client = new JsonRpcClient({
      urls: nodeUrls,
      timeoutMs: env.INDEX_REQUEST_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    this.clients.push(client);
    const options = { concurrency: env.INDEX_CONCURRENCY, limiters: this.limiters };
    const say = (text: string): void => this.logger.log(text);
    const nodes = new PChainNodes(client.perNode().map((rpc) => new PChainNode(rpc, options, say)));
    const store = { network: name, repository: this.repository, writer: this.writer };
    const chain = new FollowedPChain(store, nodes, env.INDEX_BATCH_BLOCKS);
    const warn = (text: string): void => this.logger.warn(`${name}: ${text}`);
    return new ChainFollower(chain, nodes, env.INDEX_POLL_MS, warn);
  }
}

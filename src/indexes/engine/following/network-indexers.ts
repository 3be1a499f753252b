import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { JsonRpcClient } from '../../../avalanche/rpc/json-rpc-client.js';
import type { NodeCallListener } from '../../../avalanche/rpc/node-call.js';
import type { Config, NetworkConfig, NetworkName } from '../../../platform/config/config.module.js';
import type { Networks } from '../../../platform/networks/networks.module.js';
import { ChainFollower, type FollowedChain } from './chain-follower.js';
import type { IndexPlace } from './index-place.js';
import {
  type Indexer,
  type IndexKind,
  type OpenIndex,
  type ReindexRequest,
  POLL_INTERVAL_MS,
} from './indexer.js';
import type { ChainNode, NodePool } from './node-pool.js';

/** A kind of chain of which each network has one, and which can be indexed as a whole only: each block builds on all before it. */
export interface NetworkChain {
  /** Its name in the database. */
  readonly chain: string;
  /** For people. */
  readonly title: string;
  /** How the log calls its index. */
  readonly logContext: string;
  readonly maxResponseBytes: number;
}

/** A network's chain, and the nodes that it is read from. */
export interface Followed<Position extends { readonly height: bigint }, Node extends ChainNode<Position>> {
  readonly chain: FollowedChain<Position, Node>;
  readonly nodes: NodePool<Position, Node>;
}

/** The indexers of this process for one such kind, made when they are first asked for. */
export abstract class NetworkIndexers<
  Position extends { readonly height: bigint },
  Node extends ChainNode<Position>,
>
  implements IndexKind, OnApplicationShutdown
{
  protected readonly logger: Logger;
  private readonly indexers = new Map<NetworkName, Indexer>();
  private readonly clients: JsonRpcClient[] = [];

  protected constructor(
    private readonly kind: NetworkChain,
    protected readonly config: Config,
    private readonly networks: Networks,
    private readonly onCall: NodeCallListener,
  ) {
    this.logger = new Logger(kind.logContext);
  }

  /** `clients` ask one node each. */
  protected abstract follow(
    network: NetworkConfig,
    clients: readonly JsonRpcClient[],
  ): Followed<Position, Node>;

  /** Forgets everything about a network's chain. */
  protected abstract reset(network: NetworkName): Promise<void>;

  /** Throws NETWORK_NOT_CONFIGURED. */
  find({ network, chain }: IndexPlace): OpenIndex | undefined {
    if (chain !== this.kind.chain) return undefined;
    const { config } = this.networks.byName(network);
    return {
      indexer: this.indexerOf(config),
      title: `the index of the ${this.kind.title} of ${network}`,
      reset: (part) => this.resetWhole(config.name, part),
    };
  }

  onApplicationShutdown(): void {
    for (const client of this.clients) client.close();
  }

  private async resetWhole(network: NetworkName, part: ReindexRequest): Promise<void> {
    if (Object.keys(part).length > 0) {
      throw new RangeError(`the ${this.kind.title} is reindexed as a whole`);
    }
    await this.reset(network);
  }

  private indexerOf(network: NetworkConfig): Indexer {
    let indexer = this.indexers.get(network.name);
    if (indexer === undefined) {
      indexer = this.create(network);
      this.indexers.set(network.name, indexer);
    }
    return indexer;
  }

  private create(network: NetworkConfig): Indexer {
    const { chain, nodes } = this.follow(network, this.clientsOf(network));
    const warn = (text: string): void => this.logger.warn(`${network.name}: ${text}`);
    return new ChainFollower(chain, nodes, POLL_INTERVAL_MS, warn);
  }

  /** One of each configured node; there may be none. */
  private clientsOf({ nodeUrls }: NetworkConfig): readonly JsonRpcClient[] {
    if (nodeUrls.length === 0) return [];
    // Connections of its own: thousands of blocks must not queue in front of a signature's validator set.
    const client = new JsonRpcClient({
      urls: nodeUrls,
      timeoutMs: this.config.indexRequestTimeoutMs,
      maxResponseBytes: this.kind.maxResponseBytes,
      onCall: this.onCall,
    });
    this.clients.push(client);
    return client.perNode();
  }
}

import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { JsonRpcClient } from '../avalanche/rpc/json-rpc-client.js';
import { Config, type NetworkConfig, type NetworkName } from '../config/config.module.js';
import { Networks } from '../networks/networks.module.js';
import { PChainIndexer } from './p-chain-indexer.js';
import { PChainStateRepository } from './p-chain-state.repository.js';
import { PChainWriter } from './p-chain-writer.js';
import { PChainNode, PChainNodes } from './sources/p-chain-node.js';

/** A block has up to 2 MiB, twice that in hex; a range of blocks that is larger is asked for in parts. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** The indexers of this process. Each keeps its chain's state in memory from one activity to the next. */
@Injectable()
export class PChainIndexers implements OnApplicationShutdown {
  private readonly logger = new Logger(PChainIndexer.name);
  private readonly indexers = new Map<NetworkName, PChainIndexer>();
  private readonly clients: JsonRpcClient[] = [];

  constructor(
    private readonly config: Config,
    private readonly networks: Networks,
    private readonly repository: PChainStateRepository,
    private readonly writer: PChainWriter,
  ) {}

  /** Throws NETWORK_NOT_CONFIGURED. */
  of(network: string): PChainIndexer {
    const { config } = this.networks.byName(network);
    let indexer = this.indexers.get(config.name);
    if (indexer === undefined) {
      indexer = this.create(config);
      this.indexers.set(config.name, indexer);
    }
    return indexer;
  }

  onApplicationShutdown(): void {
    for (const client of this.clients) client.close();
  }

  private create({ name, nodeUrls }: NetworkConfig): PChainIndexer {
    const { env } = this.config;
    // Connections of its own: thousands of blocks must not queue in front of a signature's validator set.
    const client = new JsonRpcClient({
      urls: nodeUrls,
      timeoutMs: env.INDEX_REQUEST_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    this.clients.push(client);
    const nodes = client
      .perNode()
      .map(
        (rpc) => new PChainNode(rpc, { concurrency: env.INDEX_CONCURRENCY }, (text) => this.logger.log(text)),
      );
    const store = { network: name, repository: this.repository, writer: this.writer };
    const options = { pollMs: env.INDEX_POLL_MS, batchBlocks: env.INDEX_BATCH_BLOCKS };
    return new PChainIndexer(store, new PChainNodes(nodes), options, (text) =>
      this.logger.warn(`${name}: ${text}`),
    );
  }
}

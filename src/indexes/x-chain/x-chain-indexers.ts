import { Injectable } from '@nestjs/common';
import type { JsonRpcClient } from '../../avalanche/rpc/json-rpc-client.js';
import { Config, type NetworkConfig, type NetworkName } from '../../platform/config/config.module.js';
import { X_CHAIN } from '../../platform/database/chains.js';
import { nameOfNode } from '../engine/following/node-pool.js';
import { type Followed, type NetworkChain, NetworkIndexers } from '../engine/following/network-indexers.js';
import { Networks } from '../../platform/networks/networks.module.js';
import { ValidatorsMetrics } from '../engine/sources/validators-metrics.js';
import { NodeLimiters } from '../../platform/networks/node-limiters.js';
import { NodeMetrics } from '../../platform/networks/node-metrics.js';
import { OpenPeers } from '../../platform/networks/open-peers.js';
import { PrimaryStake } from '../p-chain/primary-stake.js';
import { FollowedXChain } from './followed-x-chain.js';
import { VertexHistory } from './history/vertex-history.js';
import { VertexRepository } from './history/vertex.repository.js';
import { XChainHistory } from './history/x-chain-history.js';
import { XChainNode } from './sources/x-chain-node.js';
import { type XChainPosition, type XChainSource, XChainSources } from './sources/x-chain-source.js';
import { XChainValidators } from './sources/x-chain-validators.js';
import { XChainWriter } from './x-chain-writer.js';

const KIND: NetworkChain = {
  chain: X_CHAIN,
  title: 'X-chain',
  logContext: 'XChainIndex',
  /** A thousand transactions of the time before blocks, mostly far below a kilobyte each. */
  maxResponseBytes: 64 * 1024 * 1024,
};

/** The X-chains' indexers of this process. */
@Injectable()
export class XChainIndexers extends NetworkIndexers<XChainPosition, XChainSource> {
  constructor(
    config: Config,
    networks: Networks,
    private readonly writer: XChainWriter,
    private readonly vertices: VertexRepository,
    private readonly limiters: NodeLimiters,
    private readonly peers: OpenPeers,
    private readonly stake: PrimaryStake,
    private readonly validatorsMetrics: ValidatorsMetrics,
    { listener }: NodeMetrics,
  ) {
    super(KIND, config, networks, listener);
  }

  protected follow(
    config: NetworkConfig,
    clients: readonly JsonRpcClient[],
  ): Followed<XChainPosition, XChainSource> {
    const { env } = this.config;
    const { name: network } = config;
    const options = { concurrency: env.INDEX_CONCURRENCY, limiters: this.limiters };
    const validators = new XChainValidators({
      peers: () => this.peers.of(network),
      config,
      stake: () => this.stake.of(network),
      logger: this.logger,
    });
    const nodes = clients.map((rpc, i) => new XChainNode(rpc, { ...options, name: nameOfNode(i) }));
    this.validatorsMetrics.watch({ network, chain: X_CHAIN }, validators);
    const sources = new XChainSources([validators], nodes);
    const history = new XChainHistory(nodes, new VertexHistory(network, this.vertices, validators));
    const store = { network, writer: this.writer, genesis: config.own?.genesis };
    const chain = new FollowedXChain(store, sources, history, this.config.indexBatchBlocks);
    return { chain, nodes: sources };
  }

  protected reset(network: NetworkName): Promise<void> {
    return this.writer.reset(network);
  }
}

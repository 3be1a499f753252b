import { Injectable } from '@nestjs/common';
import type { JsonRpcClient } from '../../avalanche/rpc/json-rpc-client.js';
import { Config, type NetworkConfig, type NetworkName } from '../../platform/config/config.module.js';
import { P_CHAIN } from '../../platform/database/chains.js';
import { nameOfNode } from '../engine/following/node-pool.js';
import { type Followed, type NetworkChain, NetworkIndexers } from '../engine/following/network-indexers.js';
import { Networks } from '../../platform/networks/networks.module.js';
import { ValidatorsMetrics } from '../engine/sources/validators-metrics.js';
import { NodeLimiters } from '../../platform/networks/node-limiters.js';
import { OpenPeers } from '../../platform/networks/open-peers.js';
import { NodeMetrics } from '../../platform/networks/node-metrics.js';
import { FollowedPChain } from './followed-p-chain.js';
import { PChainStateRepository } from './p-chain-state.repository.js';
import { PChainWriter } from './p-chain-writer.js';
import { PrimaryStake } from './primary-stake.js';
import { PChainNode } from './sources/p-chain-node.js';
import { type ChainPosition, type PChainSource, PChainSources } from './sources/p-chain-source.js';
import { PChainValidators } from './sources/p-chain-validators.js';

const KIND: NetworkChain = {
  chain: P_CHAIN,
  title: 'P-chain',
  logContext: 'PChainIndex',
  /** A block has up to 2 MiB, twice that in hex; a range of blocks that is larger is asked for in parts. */
  maxResponseBytes: 16 * 1024 * 1024,
};

/** The P-chains' indexers of this process. Each keeps its chain's state in memory from one activity to the next. */
@Injectable()
export class PChainIndexers extends NetworkIndexers<ChainPosition, PChainSource> {
  constructor(
    config: Config,
    networks: Networks,
    private readonly repository: PChainStateRepository,
    private readonly writer: PChainWriter,
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
  ): Followed<ChainPosition, PChainSource> {
    const { env } = this.config;
    const { name: network } = config;
    const options = { concurrency: env.INDEX_CONCURRENCY, limiters: this.limiters };
    const log = (text: string): void => this.logger.log(text);
    const nodes = clients.map((rpc, i) => new PChainNode(rpc, { ...options, name: nameOfNode(i) }, log));
    const validators = new PChainValidators(
      {
        peers: () => this.peers.of(network),
        config,
        stake: () => this.stake.of(network),
        logger: this.logger,
      },
      nodes.length > 0,
    );
    this.validatorsMetrics.watch({ network, chain: P_CHAIN }, validators);
    const sources = new PChainSources([validators], nodes);
    const store = { network, own: config.own, repository: this.repository, writer: this.writer };
    const chain = new FollowedPChain(store, sources, this.config.indexBatchBlocks);
    return { chain, nodes: sources };
  }

  protected reset(network: NetworkName): Promise<void> {
    return this.writer.reset(network);
  }
}

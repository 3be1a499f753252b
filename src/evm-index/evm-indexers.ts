import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.module.js';
import type { EvmChain } from '../evm-chains/evm-chain.js';
import { EvmChains } from '../evm-chains/evm-chains.js';
import { EvmIndexRepository } from './evm-index.repository.js';
import { EvmIndexer } from './evm-indexer.js';
import { EvmNode, EvmNodes } from './evm-node.js';
import { EvmWriter } from './evm-writer.js';

/** The indexers of this process. */
@Injectable()
export class EvmIndexers {
  private readonly logger = new Logger(EvmIndexer.name);
  private readonly indexers = new Map<EvmChain, EvmIndexer>();

  constructor(
    private readonly config: Config,
    private readonly chains: EvmChains,
    private readonly repository: EvmIndexRepository,
    private readonly writer: EvmWriter,
  ) {}

  of(chain: EvmChain): EvmIndexer {
    let indexer = this.indexers.get(chain);
    if (indexer === undefined) {
      indexer = this.create(chain);
      this.indexers.set(chain, indexer);
    }
    return indexer;
  }

  private create(chain: EvmChain): EvmIndexer {
    const { env } = this.config;
    // Each URL by itself: the one that is wrong must be known from the others.
    const nodes = chain.rpcUrls.map((url) => new EvmNode(this.chains.connect([url]), chain.chainId));
    const store = { repository: this.repository, writer: this.writer };
    const options = { pollMs: env.INDEX_POLL_MS, batchBlocks: env.INDEX_BATCH_BLOCKS };
    const tracer = this.chains.tracerOf(chain);
    return new EvmIndexer(chain, store, new EvmNodes(nodes), tracer, options, (text) =>
      this.logger.warn(`${chain.name}: ${text}`),
    );
  }
}

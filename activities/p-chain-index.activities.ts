import { Injectable, Logger } from '@nestjs/common';
import { ApplicationFailure } from '@temporalio/common';
import { P_CHAIN } from '../src/database/chains.js';
import { IndexProgressRepository } from '../src/indexing/index-progress.repository.js';
import { NetworkError } from '../src/networks/network.error.js';
import { Networks } from '../src/networks/networks.module.js';
import type { PChainIndexer } from '../src/p-chain-index/p-chain-indexer.js';
import { PChainIndexers } from '../src/p-chain-index/p-chain-indexers.js';
import { PChainWriter } from '../src/p-chain-index/p-chain-writer.js';
import type { PChainIndexActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  AdvancePChainInput,
  IndexProgress,
  NetworkInput,
  RecordIndexStateInput,
} from '../workflows/contracts/index-p-chain.js';
import { asApplicationFailure } from './application-failure.js';
import { recordIndexState } from './record-index-state.js';
import { runIndexer } from './run-indexer.js';

@Injectable()
export class PChainIndexActivities implements Contract {
  private readonly logger = new Logger(PChainIndexActivities.name);

  constructor(
    private readonly networks: Networks,
    private readonly indexers: PChainIndexers,
    private readonly writer: PChainWriter,
    private readonly repository: IndexProgressRepository,
  ) {}

  @asApplicationFailure
  async advancePChain({ network, durationMs }: AdvancePChainInput): Promise<IndexProgress> {
    const { repository } = this;
    const place = { network, chain: P_CHAIN };
    return runIndexer({ indexer: this.indexerOf(network), durationMs, place, repository });
  }

  async recordIndexState({ network, state, message }: RecordIndexStateInput): Promise<void> {
    const { repository, logger } = this;
    const place = { network, chain: P_CHAIN };
    const title = `the P-chain index of ${network}`;
    await recordIndexState({ repository, logger, place, state, message, title });
  }

  @asApplicationFailure
  async resetPChain({ network }: NetworkInput): Promise<void> {
    await this.writer.reset(this.networks.byName(network).name);
    this.indexers.of(network).forget();
  }

  /** A worker that does not know the network leaves it to one that does. */
  private indexerOf(network: string): PChainIndexer {
    try {
      return this.indexers.of(network);
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      throw ApplicationFailure.create({ type: error.code, message: error.message, nonRetryable: false });
    }
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { evmChainName } from '../src/database/chains.js';
import type { EvmChain } from '../src/evm-chains/evm-chain.js';
import { EvmChains } from '../src/evm-chains/evm-chains.js';
import { EvmIndexers } from '../src/evm-index/evm-indexers.js';
import { EvmWriter } from '../src/evm-index/evm-writer.js';
import { IndexProgressRepository } from '../src/indexing/index-progress.repository.js';
import type { EvmIndexActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  AdvanceEvmChainInput,
  EvmChainInput,
  RecordEvmIndexStateInput,
} from '../workflows/contracts/index-evm-chain.js';
import type { IndexProgress } from '../workflows/contracts/index-p-chain.js';
import { asApplicationFailure } from './application-failure.js';
import { recordIndexState } from './record-index-state.js';
import { runIndexer } from './run-indexer.js';

/** A worker that does not know a chain leaves it to one that does: CHAIN_NOT_CONFIGURED is retried. */
@Injectable()
export class EvmIndexActivities implements Contract {
  private readonly logger = new Logger(EvmIndexActivities.name);

  constructor(
    private readonly chains: EvmChains,
    private readonly indexers: EvmIndexers,
    private readonly writer: EvmWriter,
    private readonly repository: IndexProgressRepository,
  ) {}

  @asApplicationFailure
  async advanceEvmChain({ durationMs, ...input }: AdvanceEvmChainInput): Promise<IndexProgress> {
    const { repository } = this;
    const chain = this.chainOf(input);
    const place = { network: chain.network, chain: evmChainName(chain.chainId) };
    return runIndexer({ indexer: this.indexers.of(chain), durationMs, place, repository });
  }

  async recordEvmIndexState({ network, chainId, state, message }: RecordEvmIndexStateInput): Promise<void> {
    const { repository, logger } = this;
    const place = { network, chain: evmChainName(BigInt(chainId)) };
    const title = `the index of EVM chain ${chainId} of ${network}`;
    await recordIndexState({ repository, logger, place, state, message, title });
  }

  @asApplicationFailure
  async resetEvmChain(input: EvmChainInput): Promise<void> {
    const chain = this.chainOf(input);
    await this.writer.reset(chain);
    this.indexers.of(chain).forget();
  }

  private chainOf({ network, chainId }: EvmChainInput): EvmChain {
    const id = BigInt(chainId);
    return network === undefined ? this.chains.byId(id) : this.chains.of({ network, chainId: id });
  }
}

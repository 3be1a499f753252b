import { Injectable, Logger } from '@nestjs/common';
import { ApplicationFailure } from '@temporalio/common';
import { EvmIndexers } from '../src/indexes/evm/facets/evm-indexers.js';
import { Projections } from '../src/indexes/evm/projections/projections.js';
import { IndexAlarms } from '../src/indexes/engine/progress/index-alarms.js';
import type { IndexPlace } from '../src/indexes/engine/following/index-place.js';
import { IndexProgressRepository } from '../src/indexes/engine/progress/index-progress.repository.js';
import { mustStop } from '../src/indexes/engine/following/index.error.js';
import type { IndexKind, OpenIndex, ReindexRequest } from '../src/indexes/engine/following/indexer.js';
import { PChainIndexers } from '../src/indexes/p-chain/p-chain-indexers.js';
import { XChainIndexers } from '../src/indexes/x-chain/x-chain-indexers.js';
import type { IndexActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  AdvanceIndexInput,
  BuildHistoryInput,
  IndexProgress,
  RecordIndexStateInput,
  ResetIndexInput,
} from '../workflows/contracts/index-chain.js';
import { asApplicationFailure } from './application-failure.js';
import { attemptVersion } from './attempt-version.js';
import { runIndexer } from './run-indexer.js';
import { withHeartbeat } from './with-heartbeat.js';

/** Each is a call to Temporal, and a process has hundreds of indexes. No index keeps a process from beating for half of its timeout. */
const INDEX_BEATS = 2;

/** A worker that does not know a chain leaves it to one that does: only what `mustStop` knows is final. */
@Injectable()
export class IndexActivities implements Contract {
  private readonly logger = new Logger(IndexActivities.name);
  private readonly kinds: readonly IndexKind[];

  constructor(
    pChain: PChainIndexers,
    xChain: XChainIndexers,
    private readonly evm: EvmIndexers,
    projections: Projections,
    private readonly repository: IndexProgressRepository,
    private readonly alarms: IndexAlarms,
  ) {
    this.kinds = [pChain, xChain, projections, evm];
  }

  @asApplicationFailure(mustStop)
  async advanceIndex({ durationMs, ...place }: AdvanceIndexInput): Promise<IndexProgress> {
    const { repository } = this;
    const { indexer } = this.open(place);
    const work = (signal: AbortSignal): Promise<IndexProgress> =>
      runIndexer({ indexer, durationMs, place, repository, signal });
    return withHeartbeat(work, { perTimeout: INDEX_BEATS });
  }

  @asApplicationFailure(mustStop)
  async buildHistory({ durationMs, builder, ...place }: BuildHistoryInput): Promise<void> {
    await withHeartbeat(async (signal) => {
      await this.evm.builderOf(place, builder)?.advance({ durationMs, signal, onProgress: () => undefined });
    });
  }

  /** Keeps a state that no indexer reports; a stop is also an alarm, in the log and among the metrics. */
  async recordIndexState(input: RecordIndexStateInput): Promise<void> {
    const { network, chain, state, message } = input;
    await this.repository.saveState({ network, chain }, { state, message }, attemptVersion());
    if (state !== 'stopped') return;
    this.alarms.countStop({ network, chain });
    this.logger.error(`the index ${chain} of ${network} has stopped: ${message ?? 'no reason given'}`);
  }

  @asApplicationFailure(mustStop)
  async resetIndex({ network, chain, ...part }: ResetIndexInput): Promise<void> {
    const index = this.open({ network, chain });
    try {
      await withHeartbeat(() => index.reset(toRequest(part)));
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof SyntaxError)) throw error;
      const message = `${index.title} has no such part: ${error.message}`;
      throw ApplicationFailure.create({ type: 'NO_SUCH_PART', message, nonRetryable: true });
    }
    index.indexer.forget();
  }

  private open(place: IndexPlace): OpenIndex {
    for (const kind of this.kinds) {
      const index = kind.find(place);
      if (index !== undefined) return index;
    }
    throw ApplicationFailure.create({
      type: 'UNKNOWN_INDEX',
      message: `this worker knows no index ${place.chain}`,
    });
  }
}

/** Throws SyntaxError for heights that are no numbers. */
function toRequest({ facet, from, to }: Pick<ResetIndexInput, 'facet' | 'from' | 'to'>): ReindexRequest {
  return {
    ...(facet === undefined ? {} : { facet }),
    ...(from === undefined ? {} : { from: BigInt(from) }),
    ...(to === undefined ? {} : { to: BigInt(to) }),
  };
}

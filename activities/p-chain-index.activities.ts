import { Injectable, Logger } from '@nestjs/common';
import { cancellationSignal, heartbeat, metricMeter } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { mustStop } from '../src/p-chain-index/index.error.js';
import { IndexProgressRepository } from '../src/p-chain-index/index-progress.repository.js';
import type { IndexerProgress, PChainIndexer } from '../src/p-chain-index/p-chain-indexer.js';
import { PChainIndexers } from '../src/p-chain-index/p-chain-indexers.js';
import { P_CHAIN } from '../src/database/chains.js';
import { PChainWriter } from '../src/p-chain-index/p-chain-writer.js';
import { NetworkError } from '../src/networks/network.error.js';
import { Networks } from '../src/networks/networks.module.js';
import type { PChainIndexActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  AdvancePChainInput,
  IndexProgress,
  NetworkInput,
  RecordIndexStateInput,
} from '../workflows/contracts/index-p-chain.js';
import { asApplicationFailure } from './application-failure.js';
import { attemptVersion } from './attempt-version.js';
import { startHeartbeat } from './start-heartbeat.js';

/** How often progress goes to the database at most. */
const SAVE_INTERVAL_MS = 1_000;

@Injectable()
export class PChainIndexActivities implements Contract {
  private readonly logger = new Logger(PChainIndexActivities.name);

  constructor(
    private readonly networks: Networks,
    private readonly indexers: PChainIndexers,
    private readonly writer: PChainWriter,
    private readonly progress: IndexProgressRepository,
  ) {}

  @asApplicationFailure
  async advancePChain({ network, durationMs }: AdvancePChainInput): Promise<IndexProgress> {
    const recorder = new ProgressRecorder(this.progress, network);
    const stopHeartbeat = startHeartbeat();
    try {
      const progress = await this.indexerOf(network).advance({
        durationMs,
        signal: cancellationSignal(),
        onProgress: (current) => {
          heartbeat({ height: current.height.toString() });
          recorder.offer(toPayload(current));
        },
      });
      await recorder.save(toPayload(progress));
      return toPayload(progress);
    } catch (error) {
      if (cancellationSignal().aborted) throw error;
      // A stop is told by the workflow, once it knows of it.
      if (!mustStop(error))
        await recorder.saveWaiting(error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      stopHeartbeat();
    }
  }

  async recordIndexState({ network, state, message }: RecordIndexStateInput): Promise<void> {
    await this.progress.saveState({ network, chain: P_CHAIN }, { state, message }, attemptVersion());
    if (state !== 'stopped') return;
    metricMeter
      .createCounter('nds_index_stops', 'stop', 'Times that an index had to stop and wait for a person')
      .add(1, { network, chain: P_CHAIN });
    this.logger.error(`the P-chain index of ${network} has stopped: ${message ?? 'no reason given'}`);
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

/** Writes the newest progress now and then; a write that fails is no reason to stop working. */
class ProgressRecorder {
  private readonly firstVersion = attemptVersion();
  private written = 0n;
  private last: IndexProgress | undefined;
  private savedAt = 0;
  private saving: Promise<void> = Promise.resolve();

  constructor(
    private readonly repository: IndexProgressRepository,
    private readonly network: string,
  ) {}

  offer(progress: IndexProgress): void {
    this.last = progress;
    if (Date.now() - this.savedAt < SAVE_INTERVAL_MS) return;
    this.saving = this.save(progress);
  }

  async save(progress: IndexProgress): Promise<void> {
    this.savedAt = Date.now();
    this.last = progress;
    const version = this.firstVersion + this.written++;
    await this.saving;
    await this.repository
      .save({ network: this.network, chain: P_CHAIN }, progress, version)
      .catch(() => undefined);
  }

  async saveWaiting(message: string): Promise<void> {
    const place = { network: this.network, chain: P_CHAIN };
    const version = this.firstVersion + this.written++;
    await this.saving;
    const { last } = this;
    const saved =
      last === undefined
        ? this.repository.saveState(place, { state: 'waiting', message }, version)
        : this.repository.save(place, { ...last, state: 'waiting', message, secondsLeft: null }, version);
    await saved.catch(() => undefined);
  }
}

function toPayload(progress: IndexerProgress): IndexProgress {
  return {
    ...progress,
    height: progress.height.toString(),
    tip: progress.tip?.toString() ?? null,
  };
}

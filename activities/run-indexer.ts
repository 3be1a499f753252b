import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { mustStop } from '../src/indexes/engine/following/index.error.js';
import type { Indexer, IndexerProgress } from '../src/indexes/engine/following/indexer.js';
import type { IndexPlace } from '../src/indexes/engine/following/index-place.js';
import type { IndexProgressRepository } from '../src/indexes/engine/progress/index-progress.repository.js';
import type { IndexProgress } from '../workflows/contracts/index-chain.js';
import { attemptVersion } from './attempt-version.js';
import { startHeartbeat } from './start-heartbeat.js';

/** How often progress goes to the database at most. */
const SAVE_INTERVAL_MS = 1_000;

/** Lets an indexer work for a while, proves life meanwhile, and keeps what it says for the health answer. */
export async function runIndexer({
  indexer,
  durationMs,
  place,
  repository,
}: {
  indexer: Indexer;
  durationMs: number;
  place: IndexPlace;
  repository: IndexProgressRepository;
}): Promise<IndexProgress> {
  const recorder = new ProgressRecorder(repository, place);
  const stopHeartbeat = startHeartbeat();
  try {
    await repository.awaitWriter(place);
    const progress = await indexer.advance({
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
    if (!mustStop(error)) await recorder.saveWaiting(error instanceof Error ? error.message : String(error));
    throw error;
  } finally {
    stopHeartbeat();
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
    private readonly place: IndexPlace,
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
    await this.repository.save(this.place, progress, version).catch(() => undefined);
  }

  async saveWaiting(message: string): Promise<void> {
    const { place, last } = this;
    const version = this.firstVersion + this.written++;
    await this.saving;
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

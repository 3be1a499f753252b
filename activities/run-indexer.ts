import { heartbeat } from '@temporalio/activity';
import { mustStop } from '../src/indexes/engine/following/index.error.js';
import type { Indexer, IndexerProgress } from '../src/indexes/engine/following/indexer.js';
import type { IndexPlace } from '../src/indexes/engine/following/index-place.js';
import type { IndexProgressRepository } from '../src/indexes/engine/progress/index-progress.repository.js';
import type { IndexProgress } from '../workflows/contracts/index-chain.js';
import { attemptVersion } from './attempt-version.js';
import { ProgressRecorder } from './progress-recorder.js';

/** Lets an indexer work for a while, and keeps its reports for the health answer. */
export async function runIndexer({
  indexer,
  durationMs,
  place,
  repository,
  signal,
}: {
  indexer: Indexer;
  durationMs: number;
  place: IndexPlace;
  repository: IndexProgressRepository;
  signal: AbortSignal;
}): Promise<IndexProgress> {
  const recorder = new ProgressRecorder(repository, place, attemptVersion());
  let height: bigint | undefined;
  try {
    await repository.awaitWriter(place);
    const progress = await indexer.advance({
      durationMs,
      signal,
      onProgress: (current) => {
        // An index at rest hears of a pause with the next regular one.
        if (current.height !== height) heartbeat();
        height = current.height;
        recorder.offer(toPayload(current));
      },
    });
    await recorder.finish(toPayload(progress));
    return toPayload(progress);
  } catch (error) {
    if (signal.aborted) throw error;
    // The workflow reports a stop, once it knows of it.
    if (!mustStop(error)) await recorder.saveWaiting(error instanceof Error ? error.message : String(error));
    throw error;
  } finally {
    recorder.close();
  }
}

function toPayload(progress: IndexerProgress): IndexProgress {
  return {
    ...progress,
    height: progress.height.toString(),
    tip: progress.tip?.toString() ?? null,
  };
}

import { isDeepStrictEqual } from 'node:util';
import type { IndexPlace } from '../src/indexes/engine/following/index-place.js';
import type { IndexProgressRepository } from '../src/indexes/engine/progress/index-progress.repository.js';
import type { IndexProgress } from '../workflows/contracts/index-chain.js';

/** How often progress goes to the database at most. */
const SAVE_INTERVAL_MS = 1_000;
/** Unchanged progress goes there, too, because silence counts as lag and, after minutes, as death. */
const REPEAT_AFTER_MS = 20_000;

/** Writes the newest progress when it has changed, but not too often; a write that fails is no reason to stop working. */
export class ProgressRecorder {
  private written = 0n;
  private last: IndexProgress | undefined;
  private saved: IndexProgress | undefined;
  private savedAt = -Infinity;
  private later: NodeJS.Timeout | undefined;
  private saving: Promise<void> = Promise.resolve();

  constructor(
    private readonly repository: Pick<IndexProgressRepository, 'save' | 'repeat' | 'saveState'>,
    private readonly place: IndexPlace,
    private readonly firstVersion: bigint,
  ) {}

  offer(progress: IndexProgress): void {
    this.last = progress;
    const sinceMs = performance.now() - this.savedAt;
    const isChanged = !isDeepStrictEqual(progress, this.saved);
    if (!isChanged && sinceMs >= REPEAT_AFTER_MS) this.repeat();
    else if (isChanged && sinceMs >= SAVE_INTERVAL_MS) this.save(progress);
    // An index that has nothing more to do does not report again for a while.
    else if (isChanged) this.later ??= setTimeout(() => this.saveLast(), SAVE_INTERVAL_MS - sinceMs);
  }

  async finish(progress: IndexProgress): Promise<void> {
    this.close();
    if (!isDeepStrictEqual(progress, this.saved)) this.save(progress);
    await this.saving;
  }

  async saveWaiting(message: string): Promise<void> {
    this.close();
    const { place, last } = this;
    const version = this.firstVersion + this.written++;
    await this.saving;
    const saved =
      last === undefined
        ? this.repository.saveState(place, { state: 'waiting', message }, version)
        : this.repository.save(place, { ...last, state: 'waiting', message, secondsLeft: null }, version);
    await saved.catch(() => undefined);
  }

  close(): void {
    clearTimeout(this.later);
    this.later = undefined;
  }

  private saveLast(): void {
    this.later = undefined;
    if (this.last !== undefined) this.save(this.last);
  }

  /** Nothing waits for it: what changes meanwhile is written, with a higher version. */
  private repeat(): void {
    this.savedAt = performance.now();
    this.repository.repeat(this.place, this.firstVersion + this.written - 1n).catch(() => {
      this.saved = undefined;
    });
  }

  private save(progress: IndexProgress): void {
    this.close();
    this.savedAt = performance.now();
    this.saved = progress;
    const version = this.firstVersion + this.written++;
    this.saving = this.saving
      .then(() => this.repository.save(this.place, progress, version))
      .catch(() => {
        this.saved = undefined;
      });
  }
}

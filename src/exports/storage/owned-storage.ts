import { Logger, type OnModuleInit } from '@nestjs/common';
import { untilAborted } from './byte-streams.js';
import { type ByteRange, ExportStorage, ExportStorageError, type StoredExport } from './export-storage.js';
import type { StoragePlace } from './storage-place.js';

/** A storage that is away does not keep a process from its start: it is checked before the first use, too. */
const START_CHECK_MS = 5_000;

/**
 * A place that belongs to one database, by its mark: the clean-up takes files that its own database does not know for left behind. A place
 * without a mark gets one.
 */
export class OwnedStorage extends ExportStorage implements OnModuleInit {
  private readonly logger = new Logger(OwnedStorage.name);
  private claimed: Promise<void> | undefined;

  constructor(
    private readonly place: StoragePlace,
    /** Identity of the database. */
    private readonly owner: () => Promise<string>,
  ) {
    super();
  }

  get location(): string {
    return this.place.location;
  }

  /** Throws ExportStorageError `FOREIGN_STORAGE`. */
  async onModuleInit(): Promise<void> {
    try {
      await untilAborted(this.claim(), AbortSignal.timeout(START_CHECK_MS));
    } catch (error) {
      if (error instanceof ExportStorageError && error.code === 'FOREIGN_STORAGE') throw error;
      this.logger.warn(`whose ${this.location} is, is not known yet: ${String(error)}`);
    }
  }

  async write(...args: Parameters<ExportStorage['write']>): Promise<number> {
    await this.claim();
    return this.place.write(...args);
  }

  read(key: string, range: ByteRange, options?: { signal?: AbortSignal }): ReturnType<ExportStorage['read']> {
    return this.place.read(key, range, options);
  }

  async *list(): AsyncGenerator<StoredExport, void> {
    await this.claim();
    yield* this.place.list();
  }

  async removeAll(operationId: string): Promise<void> {
    await this.claim();
    await this.place.removeAll(operationId);
  }

  /** Once; what fails is tried again with the next use. */
  private claim(): Promise<void> {
    if (this.claimed === undefined) {
      const claimed = this.compareMark();
      this.claimed = claimed;
      claimed.catch(() => (this.claimed = undefined));
    }
    return this.claimed;
  }

  private async compareMark(): Promise<void> {
    const owner = await this.owner();
    if ((await this.place.readMark()) === undefined) await this.place.writeMark(owner);
    // Read again: another database may have written its own at the same time.
    if ((await this.place.readMark()) === owner) return;
    throw new ExportStorageError(
      'FOREIGN_STORAGE',
      `${this.location} is the export storage of another database: give EXPORT_STORAGE_URL another folder or prefix, or ` +
        `remove ${this.place.markName} there when nothing else uses it any more`,
    );
  }
}

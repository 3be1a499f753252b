import { untilAborted } from './byte-streams.js';
import { ExportStorage } from './export-storage.js';

/** A storage that names its owner by a mark beside the operations. */
export abstract class StoragePlace extends ExportStorage {
  /** A dot in front: no operation has such a name. */
  readonly markName = '.database';

  /** Undefined when there is none. */
  abstract readMark(): Promise<string | undefined>;

  abstract writeMark(mark: string): Promise<void>;

  async write(
    key: string,
    content: AsyncIterable<Uint8Array>,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<number> {
    signal?.throwIfAborted();
    return untilAborted(this.writeWhole(key, content, signal), signal);
  }

  /** As `write`, but waits after an abort until it has cleaned up. */
  protected abstract writeWhole(
    key: string,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
  ): Promise<number>;
}

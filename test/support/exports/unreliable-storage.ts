import type { Random } from '../../../sandbox/generated/evm-chain-generator.js';
import { ExportStorage, ExportStorageError } from '../../../src/exports/storage/export-storage.js';

/** Fails now and then: before it has taken anything, in the middle, or after everything is kept. */
export class UnreliableStorage extends ExportStorage {
  readonly location = 'unreliable';
  onFirstChunk: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly storage: ExportStorage,
    private readonly random: Random,
  ) {
    super();
  }

  async write(key: string, content: AsyncIterable<Uint8Array>, options?: { signal?: AbortSignal }) {
    if (this.random(10) === 0) throw away();
    const breaksAt = this.random(10) === 0 ? 1 : Infinity;
    const bytes = await this.storage.write(key, this.interrupted(content, breaksAt), options);
    if (this.random(10) === 0) throw away();
    return bytes;
  }

  private async *interrupted(content: AsyncIterable<Uint8Array>, breaksAt: number) {
    let chunks = 0;
    for await (const chunk of content) {
      if (chunks === 0) await this.onFirstChunk();
      chunks += 1;
      yield chunk;
      if (chunks >= breaksAt) throw away();
    }
  }

  read(...query: Parameters<ExportStorage['read']>): AsyncIterable<Uint8Array> {
    return this.storage.read(...query);
  }

  list(): ReturnType<ExportStorage['list']> {
    return this.storage.list();
  }

  removeAll(operationId: string): Promise<void> {
    return this.storage.removeAll(operationId);
  }
}

function away(): ExportStorageError {
  return new ExportStorageError('STORAGE_UNAVAILABLE', 'away');
}

import { once } from 'node:events';
import { ExportStorageError } from './export-storage.js';

/** Content on its way into a storage: counts its bytes, and distinguishes its own failure from the storage's. */
export class CountedContent implements AsyncIterable<Uint8Array> {
  bytes = 0;
  failure: { readonly error: unknown } | undefined;

  constructor(private readonly content: AsyncIterable<Uint8Array>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const chunks = this.content[Symbol.asyncIterator]();
    try {
      for (let next = await this.pull(chunks); next.done !== true; next = await this.pull(chunks)) {
        this.bytes += next.value.length;
        yield next.value;
      }
    } finally {
      if (this.failure === undefined) await chunks.return?.();
    }
  }

  private async pull(chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array, unknown>> {
    try {
      return await chunks.next();
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

/** Ends early with an error: a shorter answer must not pass for the whole, nor a longer one. */
export async function* exactly(
  length: number,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let missing = length;
  for await (const chunk of source) {
    missing -= chunk.length;
    if (missing < 0) break;
    yield chunk;
  }
  if (missing === 0) return;
  const found = missing < 0 ? 'more' : `only ${length - missing}`;
  throw new ExportStorageError('STORAGE_UNAVAILABLE', `${found} of ${length} bytes came`);
}

/** Rejects with the signal's reason at once; the work goes on unseen and must clean up after itself. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const ended = new AbortController();
  try {
    return await Promise.race([work, rejectOnAbort(signal, ended.signal)]);
  } finally {
    ended.abort();
  }
}

async function rejectOnAbort(signal: AbortSignal, ended: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort', { signal: ended });
  throw signal.reason;
}

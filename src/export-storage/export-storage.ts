import { AvalancheError } from '../avalanche/avalanche.error.js';

/** `STORAGE_UNAVAILABLE` may pass by itself; `NOT_FOUND` does not. */
export class ExportStorageError extends AvalancheError<'STORAGE_UNAVAILABLE' | 'NOT_FOUND'> {}

/**
 * Where the pieces of exported files are kept. Keys are `{operation id}/{name}` of letters, digits, `-`, `_` and `.`.
 * All methods reject with ExportStorageError, or with the signal's reason.
 */
export abstract class ExportStorage {
  /** For logs and the banner, without credentials. */
  abstract readonly location: string;

  /** Keeps all of the content under the key, or nothing; replaces what was there. Resolves to the number of bytes. */
  abstract write(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options?: { signal?: AbortSignal },
  ): Promise<number>;

  /** Bytes from `start` to `end`, both included. */
  abstract read(
    key: string,
    range: { start: number; end: number },
    options?: { signal?: AbortSignal },
  ): AsyncIterable<Uint8Array>;

  /** Removes everything of an operation; nothing there is fine. */
  abstract removeAll(operationId: string): Promise<void>;
}

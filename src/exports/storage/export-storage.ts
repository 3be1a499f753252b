import { AvalancheError } from '../../avalanche/avalanche.error.js';

export type ExportStorageErrorCode =
  /** May pass by itself. */
  | 'STORAGE_UNAVAILABLE'
  /** Passes when something is removed. */
  | 'STORAGE_FULL'
  | 'NOT_FOUND'
  /** Another database keeps its files there. */
  | 'FOREIGN_STORAGE'
  /** Anybody may keep anything there, so that leftovers cannot be recognised. */
  | 'NOT_OURS_ALONE';

export class ExportStorageError extends AvalancheError<ExportStorageErrorCode> {}

/** Both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Stored pieces of one operation. */
export interface StoredExport {
  readonly operationId: string;
  /** Of the newest piece. */
  readonly writtenAt: Date;
}

/**
 * Where the pieces of exported files are kept. Keys are `{operation id}/{name}` of letters, digits, `-`, `_` and `.`.
 * All methods reject with ExportStorageError, with the signal's reason, or with what made the given content fail.
 */
export abstract class ExportStorage {
  /** For logs and the banner, without credentials. */
  abstract readonly location: string;

  /**
   * Keeps all of the content under the key, or nothing; replaces what was there. Resolves to the number of bytes. After an abort,
   * what had begun is cleaned up unseen.
   */
  abstract write(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options?: { signal?: AbortSignal },
  ): Promise<number>;

  /** All bytes of the range, or an error. */
  abstract read(key: string, range: ByteRange, options?: { signal?: AbortSignal }): AsyncIterable<Uint8Array>;

  /** Each operation of which anything is kept, in any order. */
  abstract list(): AsyncIterable<StoredExport>;

  /** Removes everything of an operation; nothing there is fine. */
  abstract removeAll(operationId: string): Promise<void>;
}

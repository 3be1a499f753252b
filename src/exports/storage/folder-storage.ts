import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, opendir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CountedContent, exactly } from './byte-streams.js';
import { type ByteRange, ExportStorageError, type StoredExport } from './export-storage.js';
import { StoragePlace } from './storage-place.js';
import { checkOperationId, parseKey } from './storage-key.js';

const READ_CHUNK_BYTES = 256 * 1024;

/** A folder that all processes see; one folder in it for each operation. */
export class FolderStorage extends StoragePlace {
  constructor(readonly location: string) {
    super();
  }

  /** Seen under its name only when all of it is on the disk. */
  protected async writeWhole(
    key: string,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const { operationId, name } = parseKey(key);
    const folder = join(this.location, operationId);
    const unfinished = join(folder, `.${name}.${randomUUID()}`);
    const counted = new CountedContent(content);
    try {
      await makeFolder(folder);
      // A stream that opens its file itself may make it after content that failed at once was removed.
      const file = await open(unfinished, 'wx');
      await pipeline(counted, file.createWriteStream({ flush: true }), { signal });
      signal?.throwIfAborted();
      await rename(unfinished, join(folder, name));
      await syncFolder(folder);
      return counted.bytes;
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      if (counted.failure !== undefined) throw counted.failure.error;
      throw this.toStorageError(error);
    }
  }

  async *read(
    key: string,
    { start, end }: ByteRange,
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<Uint8Array, void> {
    const { operationId, name } = parseKey(key);
    const path = join(this.location, operationId, name);
    const file = createReadStream(path, { start, end, signal, highWaterMark: READ_CHUNK_BYTES });
    try {
      yield* exactly(end - start + 1, file);
    } catch (error) {
      signal?.throwIfAborted();
      throw this.toStorageError(error);
    } finally {
      file.destroy();
    }
  }

  async *list(): AsyncGenerator<StoredExport, void> {
    try {
      for await (const entry of await opendir(this.location)) {
        const writtenAt = entry.isDirectory()
          ? await findChangeTime(join(this.location, entry.name))
          : undefined;
        if (writtenAt !== undefined) yield { operationId: entry.name, writtenAt };
      }
    } catch (error) {
      if (!isMissing(error)) throw this.toStorageError(error);
    }
  }

  async removeAll(operationId: string): Promise<void> {
    const folder = join(this.location, checkOperationId(operationId));
    try {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      throw this.toStorageError(error);
    }
  }

  async readMark(): Promise<string | undefined> {
    try {
      return await readFile(join(this.location, this.markName), 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw this.toStorageError(error);
    }
  }

  async writeMark(mark: string): Promise<void> {
    const unfinished = join(this.location, `${this.markName}.${randomUUID()}`);
    try {
      await makeFolder(this.location);
      await writeFile(unfinished, mark, { flush: true });
      await rename(unfinished, join(this.location, this.markName));
      await syncFolder(this.location);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw this.toStorageError(error);
    }
  }

  private toStorageError(error: unknown): unknown {
    if (error instanceof ExportStorageError || !isSystemError(error)) return error;
    return isMissing(error)
      ? new ExportStorageError('NOT_FOUND', `not in the export folder: ${error.message}`, { cause: error })
      : new ExportStorageError(
          isNoSpace(error.code) ? 'STORAGE_FULL' : 'STORAGE_UNAVAILABLE',
          `the export folder ${this.location} ${describe(error.code)}`,
          { cause: error },
        );
  }
}

/** `instanceof Error` depends on the realm that the error comes from. */
function isSystemError(error: unknown): error is { code: string; message: string } {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string' &&
    'syscall' in error &&
    'message' in error
  );
}

function isMissing(error: unknown): boolean {
  return isSystemError(error) && error.code === 'ENOENT';
}

function isNoSpace(code: string): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function describe(code: string): string {
  if (isNoSpace(code)) return `has no space left (${code})`;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `does not let this process in (${code})`;
    case 'EMFILE':
    case 'ENFILE':
      return `cannot be opened, too many files are open (${code})`;
    default:
      return `failed: ${code}`;
  }
}

/** Undefined when it has gone meanwhile. */
async function findChangeTime(folder: string): Promise<Date | undefined> {
  try {
    return (await stat(folder)).mtime;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function makeFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true });
  if (firstMade !== undefined) await syncFolder(dirname(firstMade));
}

/** A name is on the disk when its folder is. Windows neither needs nor allows this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

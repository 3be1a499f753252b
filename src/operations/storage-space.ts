import { Injectable } from '@nestjs/common';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Config } from '../config/config.module.js';
import { Database } from '../database/database.js';
import { parseStorageUrl } from '../export-storage/storage-url.js';
import { ApiError } from '../http/api-error.js';

/** Keeps exports from filling their storage: a disk that others write to, too, such as the embedded database, or a bucket. */
@Injectable()
export class StorageSpace {
  private readonly folder: string | undefined;
  private readonly highWaterPercent: number;
  private readonly maxBytes: number | undefined;

  constructor(
    { env, dataDir }: Config,
    private readonly database: Database,
  ) {
    const location = parseStorageUrl(env.EXPORT_STORAGE_URL ?? join(dataDir, 'exports'));
    this.folder = location.kind === 'folder' ? location.folder : undefined;
    this.highWaterPercent = env.EXPORT_STORAGE_HIGH_WATER_PERCENT;
    this.maxBytes = env.EXPORT_STORAGE_MAX_BYTES;
  }

  /** Throws a 503 while there is no room for another export. */
  async checkRoom(): Promise<void> {
    if ((await this.isDiskFull()) || (await this.isAtMaxBytes())) {
      throw new ApiError(503, 'the storage of exports is full, try again when others have been removed');
    }
  }

  private async isDiskFull(): Promise<boolean> {
    if (this.folder === undefined) return false;
    const { blocks, bavail } = await statfs(existingPartOf(this.folder));
    return 100 * (1 - bavail / blocks) >= this.highWaterPercent;
  }

  private async isAtMaxBytes(): Promise<boolean> {
    if (this.maxBytes === undefined) return false;
    const [stored] = await this.database.query<{ bytes: number }>({
      text: 'SELECT coalesce(sum(coalesce(stored_bytes, bytes)), 0)::float8 AS bytes FROM export_parts',
      values: [],
    });
    return stored !== undefined && stored.bytes >= this.maxBytes;
  }
}

/** The folder is made with the first export. */
function existingPartOf(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existingPartOf(dirname(folder));
}

import { Injectable } from '@nestjs/common';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Config } from '../config/config.module.js';
import { parseStorageUrl } from '../export-storage/storage-url.js';
import { ApiError } from '../http/api-error.js';

/** Keeps exports from filling a disk that others write to, too, such as the embedded database. */
@Injectable()
export class StorageSpace {
  private readonly folder: string | undefined;
  private readonly highWaterPercent: number;

  constructor({ env, dataDir }: Config) {
    const location = parseStorageUrl(env.EXPORT_STORAGE_URL ?? join(dataDir, 'exports'));
    this.folder = location.kind === 'folder' ? location.folder : undefined;
    this.highWaterPercent = env.EXPORT_STORAGE_HIGH_WATER_PERCENT;
  }

  /** Throws a 503 while the disk of the exports is too full for another one. */
  async checkRoom(): Promise<void> {
    if (this.folder === undefined) return;
    const { blocks, bavail } = await statfs(existingPartOf(this.folder));
    if (100 * (1 - bavail / blocks) < this.highWaterPercent) return;
    throw new ApiError(503, 'the storage of exports is full, try again when others have been removed');
  }
}

/** The folder is made with the first export. */
function existingPartOf(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existingPartOf(dirname(folder));
}

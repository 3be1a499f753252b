import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Repository } from 'typeorm';
import { ExportPartEntity } from '../../../exports/turns/export-part.entity.js';
import { Config } from '../../../platform/config/config.module.js';
import { parseStorageUrl } from '../../../exports/storage/storage-url.js';
import { ApiError } from '../../../platform/http/errors/api-error.js';
import { Refusals } from '../../../platform/http/errors/refusals.js';
import { Metrics } from '../../../platform/metrics/metrics.js';

/** Keeps exports from filling their storage: a disk that others write to, too, such as the embedded database, or a bucket. */
@Injectable()
export class StorageSpace {
  private readonly folder: string | undefined;
  /** Of a folder's disk: from here on new exports are refused. */
  highWaterPercent = 95;
  private readonly maxBytes: number | undefined;

  constructor(
    { env, dataDir }: Config,
    @InjectRepository(ExportPartEntity) private readonly parts: Repository<ExportPartEntity>,
    private readonly refusals: Refusals = new Refusals(new Metrics()),
  ) {
    const location = parseStorageUrl(env.EXPORT_STORAGE_URL ?? join(dataDir, 'exports'));
    this.folder = location.kind === 'folder' ? location.folder : undefined;
    this.maxBytes = env.EXPORT_STORAGE_MAX_BYTES;
  }

  /** Throws a 503 while there is no room for another export. */
  async checkRoom(): Promise<void> {
    const { disk = 0, limit = 0 } = await this.use();
    if (100 * disk >= this.highWaterPercent || limit >= 1) {
      const message = 'the export storage is full; try again when other exports have been removed';
      this.refusals.refuse('export_storage_full', new ApiError(503, message));
    }
  }

  /** What is used of a folder's disk and of the bytes that exports may have, as far as there are such: 0 to 1. */
  async use(): Promise<{ disk: number | undefined; limit: number | undefined }> {
    const [disk, limit] = await Promise.all([this.usedDisk(), this.usedLimit()]);
    return { disk, limit };
  }

  private async usedDisk(): Promise<number | undefined> {
    if (this.folder === undefined) return undefined;
    const { blocks, bavail } = await statfs(existingPartOf(this.folder));
    return 1 - bavail / blocks;
  }

  private async usedLimit(): Promise<number | undefined> {
    if (this.maxBytes === undefined) return undefined;
    if (this.maxBytes === 0) return 1; // nothing may be stored: that is all
    return ((await this.parts.sum('storedBytes')) ?? 0) / this.maxBytes;
  }
}

/** The folder is made with the first export. */
function existingPartOf(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existingPartOf(dirname(folder));
}

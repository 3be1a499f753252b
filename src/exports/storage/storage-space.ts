import { Injectable } from '@nestjs/common';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Config } from '../../platform/config/config.module.js';
import { Database } from '../../platform/database/database.js';
import { ExportStorageError } from './export-storage.js';
import { parseStorageUrl } from './storage-url.js';

/** A turn ends when it has stored so much, compressed. */
const TURN_BYTES = 64_000_000;
/** Longer than a turn can take: one whose worker has died counts for so long. */
const MAX_TURN_SECONDS = 600;
/** An export of which nothing is on record but that it was asked for is about to begin; later, it never will. */
export const SILENT_SECONDS = 3_600;

/** Use of something, and how much there is of it. */
interface Use {
  readonly used: number;
  readonly total: number;
}

/** As far as there are such. */
interface Uses {
  readonly disk: Use | undefined;
  readonly limit: Use | undefined;
}

/**
 * Keeps exports from filling their storage: a disk that others write to, too, such as the embedded database, or a bucket. Those that
 * run wait for room, new ones are refused.
 */
@Injectable()
export class StorageSpace {
  private readonly folder: string | undefined;
  /** Of a folder's disk: from here on nothing is stored. */
  highWaterPercent = 95;
  turnBytes = TURN_BYTES;
  private readonly maxBytes: number | undefined;

  constructor(
    { env, dataDir }: Config,
    private readonly database: Database,
  ) {
    const location = parseStorageUrl(env.EXPORT_STORAGE_URL ?? join(dataDir, 'exports'));
    this.folder = location.kind === 'folder' ? location.folder : undefined;
    this.maxBytes = env.EXPORT_STORAGE_MAX_BYTES;
  }

  /** Whether another export may begin beside those that run, each of which may be about to store a part. */
  async hasRoomFor(operationId: string): Promise<boolean> {
    const [running, uses] = await Promise.all([this.countRunningBeside(operationId), this.look()]);
    return !this.isFull(uses, { disk: running, limit: running });
  }

  /** Throws ExportStorageError `STORAGE_FULL`. Until `work` ends, it counts for turns that are about to begin in any process. */
  async whileThereIsRoom<T>(operationId: string, work: () => Promise<T>): Promise<T> {
    // Before it looks: of several at once, each must see the others.
    await this.setStoringFor(operationId, MAX_TURN_SECONDS);
    try {
      const [beside, uses] = await Promise.all([this.countStoringBeside(operationId), this.look()]);
      if (this.isFull(uses, { disk: beside + 1, limit: beside })) {
        throw new ExportStorageError('STORAGE_FULL', 'there is no room in the export storage');
      }
      return await work();
    } finally {
      // Otherwise its time passes by itself; what is to be heard is how the work ended.
      await this.setStoringFor(operationId, null).catch(() => undefined);
    }
  }

  /** Use of a folder's disk and of the bytes that exports may have, as far as there are such: 0 to 1. */
  async use(): Promise<{ disk: number | undefined; limit: number | undefined }> {
    const { disk, limit } = await this.look();
    return { disk: disk && disk.used / disk.total, limit: limit && shareOf(limit, 0) };
  }

  /** `parts`: how many are about to be stored, and none of their bytes is there yet. */
  private isFull({ disk, limit }: Uses, parts: { readonly disk: number; readonly limit: number }): boolean {
    const isDiskFull =
      disk !== undefined && 100 * shareOf(disk, parts.disk * this.turnBytes) >= this.highWaterPercent;
    return isDiskFull || (limit !== undefined && shareOf(limit, parts.limit * this.turnBytes) >= 1);
  }

  private async look(): Promise<Uses> {
    const { folder, maxBytes } = this;
    const [disk, limit] = await Promise.all([
      folder === undefined ? undefined : this.readDisk(existingPartOf(folder)),
      maxBytes === undefined ? undefined : this.sumStored().then((used) => ({ used, total: maxBytes })),
    ]);
    return { disk, limit };
  }

  /** Bytes of the disk that has the folder. */
  async readDisk(folder: string): Promise<Use> {
    const { blocks, bavail, bsize } = await statfs(folder);
    return { used: (blocks - bavail) * bsize, total: blocks * bsize };
  }

  private async sumStored(): Promise<number> {
    const [row] = await this.database.query<{ bytes: string }>({
      text: 'SELECT coalesce(sum(stored_bytes), 0) AS bytes FROM export_parts',
      values: [],
    });
    return Number(row?.bytes);
  }

  private async setStoringFor(operationId: string, seconds: number | null): Promise<void> {
    await this.database.execute({
      text: `UPDATE operations SET storing_until = extract(epoch FROM now())::bigint + $2::bigint WHERE operation_id = $1`,
      values: [operationId, seconds],
    });
  }

  private async countStoringBeside(operationId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM operations
              WHERE operation_id <> $1 AND NOT files_removed AND storing_until > extract(epoch FROM now())`,
      values: [operationId],
    });
    return row?.count ?? 0;
  }

  private async countRunningBeside(operationId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM (
               SELECT operation_id FROM operations WHERE status = 'RUNNING' AND NOT files_removed
                UNION ALL
               SELECT operation_id FROM export_claims AS claim WHERE claimed_at > extract(epoch FROM now()) - $2::int
                  AND NOT EXISTS (SELECT FROM operations WHERE operation_id = claim.operation_id)
             ) AS running WHERE operation_id <> $1`,
      values: [operationId, SILENT_SECONDS],
    });
    return row?.count ?? 0;
  }
}

/** Where nothing may be used, all of it is. */
function shareOf({ used, total }: Use, moreBytes: number): number {
  return total === 0 ? 1 : (used + moreBytes) / total;
}

/** The folder is made with the first export. */
function existingPartOf(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existingPartOf(dirname(folder));
}

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import type { Environment } from '../child.js';

/** Where exports are stored, and how much of it is taken. */
export interface ExportRoom {
  readonly what: string;
  /** For the processes of the service. */
  readonly env: Environment;
  readonly totalBytes: number;
  /** Share at which nothing more is stored. */
  readonly mark: number;
  /** How far a turn that may begin can go beyond the mark: the bytes of a disk are claimed before, those of a limit are not. */
  readonly beyondBytes: number;
  usedBytes(): Promise<number>;
  /** Takes so much, beside what exports have stored; less than before gives room back at once. */
  takeUpTo(share: number): Promise<void>;
  remove(): void;
}

/** The service's own limits. */
export interface SpaceRules {
  readonly highWaterPercent: number;
  readonly turnBytes: number;
}

const TAKEN = 'taken-by-others';

/**
 * A disk in a file that takes room only where something is written, so that 94 % of a disk can be taken without taking that much of
 * this machine: allocated blocks are counted, and never written.
 */
class SparseDisk implements ExportRoom {
  readonly what = 'the disk';
  readonly env: Environment;
  readonly mark: number;
  readonly beyondBytes = 0;
  private readonly taken: string;
  private readonly unmount = (): void => {
    // Lazily: whoever still has a file open keeps it until he ends.
    execFileSync('umount', ['--lazy', this.folder], { stdio: 'ignore' });
  };

  private constructor(
    private readonly folder: string,
    readonly totalBytes: number,
    { highWaterPercent }: SpaceRules,
  ) {
    this.taken = join(folder, TAKEN);
    this.env = { EXPORT_STORAGE_URL: join(folder, 'exports') };
    this.mark = highWaterPercent / 100;
    process.prependOnceListener('exit', this.unmount); // before the folder around it is removed
  }

  /** Undefined where nobody lets this process mount a disk. */
  static async create(parent: string, bytes: number, rules: SpaceRules): Promise<SparseDisk | undefined> {
    const [image, folder] = [join(parent, 'disk.img'), join(parent, 'disk')];
    try {
      writeFileSync(image, '');
      truncateSync(image, bytes);
      // Without a journal nothing of it is written in advance.
      execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', '-O', '^has_journal', image], { stdio: 'ignore' });
      mkdirSync(folder);
      execFileSync('mount', ['-o', 'loop', image, folder], { stdio: 'ignore' });
    } catch {
      rmSync(image, { force: true });
      return undefined;
    }
    const { blocks, bsize } = await statfs(folder);
    return new SparseDisk(folder, blocks * bsize, rules);
  }

  async usedBytes(): Promise<number> {
    const { blocks, bavail, bsize } = await statfs(this.folder);
    return (blocks - bavail) * bsize;
  }

  async takeUpTo(share: number): Promise<void> {
    const now = statSync(this.taken, { throwIfNoEntry: false })?.size ?? 0;
    const wanted = Math.max(0, Math.floor(now + share * this.totalBytes - (await this.usedBytes())));
    if (wanted <= now) return truncateSync(this.taken, wanted);
    execFileSync('fallocate', ['--length', String(wanted), this.taken], { stdio: 'ignore' });
  }

  remove(): void {
    process.off('exit', this.unmount);
    this.unmount();
  }
}

/** The bytes that exports may have by configuration, of which others on record have taken some. */
class LimitedBytes implements ExportRoom {
  readonly what = 'EXPORT_STORAGE_MAX_BYTES';
  readonly env: Environment;
  readonly mark = 1;
  readonly beyondBytes: number;
  private readonly operationId = randomUUID();

  constructor(
    folder: string,
    readonly totalBytes: number,
    { turnBytes }: SpaceRules,
    private readonly dataSource: DataSource,
  ) {
    this.beyondBytes = turnBytes;
    this.env = {
      EXPORT_STORAGE_URL: join(folder, 'exports'),
      EXPORT_STORAGE_MAX_BYTES: String(totalBytes),
    };
  }

  usedBytes(): Promise<number> {
    return this.sum('true');
  }

  async takeUpTo(share: number): Promise<void> {
    const bytes = Math.floor(
      share * this.totalBytes - (await this.sum(`operation_id <> '${this.operationId}'`)),
    );
    await this.dataSource.query(
      `INSERT INTO export_parts (operation_id, part, storage_key, bytes, rows, position_after, stored_bytes)
       VALUES ($1, 0, NULL, 0, 0, '{}', $2) ON CONFLICT (operation_id, part) DO UPDATE SET stored_bytes = EXCLUDED.stored_bytes`,
      [this.operationId, Math.max(0, bytes)],
    );
  }

  remove(): void {
    // Gone with the database.
  }

  private async sum(where: string): Promise<number> {
    const [row] = await this.dataSource.query<{ bytes: string }[]>(
      `SELECT coalesce(sum(stored_bytes), 0) AS bytes FROM export_parts WHERE ${where}`,
    );
    return Number(row?.bytes);
  }
}

/** A disk of so many bytes; where this process may not mount one, as many bytes as a limit of the service. */
export async function createExportRoom(
  parent: string,
  bytes: number,
  rules: SpaceRules,
  dataSource: DataSource,
): Promise<ExportRoom> {
  const disk = await SparseDisk.create(parent, bytes, rules);
  return disk ?? new LimitedBytes(parent, bytes, rules, dataSource);
}

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { ExportStorageError } from '../../src/exports/storage/export-storage.js';
import { FolderStorage } from '../../src/exports/storage/folder-storage.js';
import { ExpiredExports } from '../../src/exports/storage/expired-exports.js';
import { ExpiredExportsRepository } from '../../src/exports/storage/expired-exports.repository.js';
import { insertOperation } from '../support/http/download-api.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestDatabase, createTestFolder } from '../support/harness/services.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const DAY_SECONDS = 86_400;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Cannot remove what it should remove; otherwise the real one. */
class StubbornStorage extends FolderStorage {
  readonly stuck = new Set<string>();
  isAway = false;
  attempts = 0;

  override async removeAll(operationId: string): Promise<void> {
    this.attempts++;
    if (this.isAway || this.stuck.has(operationId)) {
      throw new ExportStorageError('STORAGE_UNAVAILABLE', 'stuck');
    }
    await super.removeAll(operationId);
  }
}

// Each failure that a test makes is logged.
Logger.overrideLogger(false);

describe(ExpiredExports.name, () => {
  let dataSource: DataSource;
  let folder: string;
  let storage: StubbornStorage;
  let exports: ExpiredExports;
  const signal = new AbortController().signal;

  beforeAll(async () => {
    const { url } = await createTestDatabase();
    dataSource = await new DataSource(patientDataSource({ url, poolSize: 4 })).initialize();
    onCleanup(() => dataSource.destroy());
  });
  beforeEach(() => {
    folder = createTestFolder('exports');
    storage = new StubbornStorage(folder);
    exports = new ExpiredExports(new ExpiredExportsRepository(new Database(dataSource)), storage);
  });
  afterEach(() => dataSource.query('TRUNCATE operations, export_parts, export_claims'));

  const insert = async (operation: Parameters<typeof insertOperation>[3]): Promise<string> => {
    const pieces = [randomBytes(3), Buffer.alloc(0), randomBytes(4)];
    return (await insertOperation(dataSource, storage, pieces, operation)).operationId;
  };
  const removeAll = (): Promise<void> =>
    exports.removeAll({
      abandonedAfterSeconds: 2 * DAY_SECONDS,
      forgottenAfterSeconds: 90 * DAY_SECONDS,
      signal,
    });
  /** Operations that have anything, by where they have it. */
  const left = async (): Promise<{ stored: string[]; parts: string[]; unremoved: string[] }> => {
    const ids = async (sql: string): Promise<string[]> => {
      const rows: { id: string }[] = await dataSource.query(sql);
      return rows.map(({ id }) => id).sort();
    };
    return {
      stored: readdirSync(folder).sort(),
      parts: await ids('SELECT DISTINCT operation_id AS id FROM export_parts'),
      unremoved: await ids('SELECT operation_id AS id FROM operations WHERE NOT files_removed'),
    };
  };
  const expectLeft = async (operationIds: readonly string[]): Promise<void> => {
    const sorted = [...operationIds].sort();
    expect(await left()).toEqual({ stored: sorted, parts: sorted, unremoved: sorted });
  };
  const age = (operationId: string, seconds: number): void => {
    const time = nowSeconds() - seconds;
    utimesSync(join(folder, operationId), time, time);
  };

  it('removes what has expired, failed or was abandoned, and nothing else', async () => {
    const recent = nowSeconds() - DAY_SECONDS;
    const longAgo = nowSeconds() - 3 * DAY_SECONDS;
    const kept = [
      await insert({ expiresAt: nowSeconds() + 3600, createdAt: longAgo }),
      await insert({ status: 'COMPLETED_WITH_WARNING', expiresAt: nowSeconds() + 3600, createdAt: recent }),
      await insert({ status: 'RUNNING', createdAt: recent }),
    ];
    await insert({ expiresAt: nowSeconds() - 1, createdAt: recent });
    await insert({ status: 'COMPLETED_WITH_WARNING', expiresAt: nowSeconds() - 1, createdAt: recent });
    await insert({ status: 'FAILED', createdAt: recent });
    await insert({ status: 'RUNNING', createdAt: longAgo });
    await removeAll();
    await expectLeft(kept);
    await removeAll();
    await expectLeft(kept);
  });

  it('forgets operations long after their last change, with whose they were, and not while their files are kept', async () => {
    const longAgo = nowSeconds() - 91 * DAY_SECONDS;
    const recent = nowSeconds() - 89 * DAY_SECONDS;
    const claim = async (operationId: string, claimedAt: number): Promise<string> => {
      await dataSource.query(
        `INSERT INTO export_claims (operation_id, type, owner, request_digest, claimed_at, max_node_calls) VALUES ($1, '', '', '', $2, 0)`,
        [operationId, claimedAt],
      );
      return operationId;
    };
    const kept = [
      await claim(await insert({ expiresAt: nowSeconds() + 3_600, createdAt: longAgo }), longAgo),
      await claim(await insert({ status: 'FAILED', createdAt: recent }), recent),
    ];
    await claim(await insert({ expiresAt: nowSeconds() - 1, createdAt: longAgo }), longAgo);
    await claim(await insert({ status: 'FAILED', createdAt: longAgo, filesRemoved: true }), longAgo);
    const neverBegun = await claim(randomUUID(), recent);
    await claim(randomUUID(), longAgo);
    await removeAll();
    const known = async (table: string): Promise<string[]> => {
      const rows: { id: string }[] = await dataSource.query(`SELECT operation_id AS id FROM ${table}`);
      return rows.map(({ id }) => id).sort();
    };
    expect(await known('operations')).toEqual([...kept].sort());
    expect(await known('export_claims')).toEqual([...kept, neverBegun].sort());
  });

  it('goes through all of many, page by page', async () => {
    // Equal times: the id separates the pages.
    const createdAt = nowSeconds() - DAY_SECONDS;
    for (let i = 0; i < 205; i++) await insert({ status: 'FAILED', createdAt });
    const kept = await insert({ status: 'RUNNING', createdAt });
    await removeAll();
    await expectLeft([kept]);
  });

  it('is not held up by one that cannot be removed, and removes it later', async () => {
    const ids = await Promise.all([0, 1, 2, 3].map(() => insert({ status: 'FAILED' })));
    const [stuck = ''] = ids;
    storage.stuck.add(stuck);
    const longAgo = nowSeconds() - 91 * DAY_SECONDS;
    const old = await insert({ status: 'FAILED', createdAt: longAgo, filesRemoved: true });
    await storage.removeAll(old);
    await dataSource.query('DELETE FROM export_parts WHERE operation_id = $1', [old]);
    await expect(removeAll()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expectLeft([stuck]);
    expect(await dataSource.query('SELECT 1 FROM operations WHERE operation_id = $1', [old])).toEqual([]);
    storage.stuck.clear();
    await removeAll();
    await expectLeft([]);
  });

  it('gives up soon when the storage is away', async () => {
    for (let i = 0; i < 15; i++) await insert({ status: 'FAILED' });
    storage.isAway = true;
    await expect(removeAll()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(storage.attempts).toBe(10);
    expect((await left()).unremoved).toHaveLength(15);
  });

  it('stops when it is cancelled', async () => {
    await insert({ status: 'FAILED' });
    const reason = new Error('enough');
    const aborted = AbortSignal.abort(reason);
    await expect(
      exports.removeAll({ abandonedAfterSeconds: 1, forgottenAfterSeconds: 1, signal: aborted }),
    ).rejects.toBe(reason);
    expect((await left()).unremoved).toHaveLength(1);
  });

  it('removes each export once when several processes do it at the same time', async () => {
    const kept = await insert({ status: 'RUNNING', createdAt: nowSeconds() });
    for (let i = 0; i < 30; i++) await insert({ status: 'FAILED' });
    await Promise.all([removeAll(), removeAll(), removeAll()]);
    await expectLeft([kept]);
  });

  it('removes old files that nothing knows of, and leaves young and foreign ones', async () => {
    const kept = await insert({ status: 'RUNNING', createdAt: nowSeconds() });
    const removedBefore = await insert({ status: 'FAILED', filesRemoved: true });
    const unknown = randomUUID();
    const young = randomUUID();
    for (const id of [unknown, young, 'lost+found']) mkdirSync(join(folder, id));
    for (const id of [kept, removedBefore, unknown, 'lost+found']) age(id, 3 * DAY_SECONDS);
    await removeAll();
    expect(await left()).toEqual({
      stored: [kept, young, 'lost+found'].sort(),
      parts: [kept],
      unremoved: [kept],
    });
  });

  it('removes a single export, however often it is asked to', async () => {
    const [gone, kept] = [await insert({ status: 'RUNNING' }), await insert({ status: 'RUNNING' })];
    await exports.remove(gone);
    await exports.remove(gone);
    await exports.remove(randomUUID());
    await expectLeft([kept]);
  });
});

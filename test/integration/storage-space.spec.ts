import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { FolderStorage } from '../../src/exports/storage/folder-storage.js';
import { StorageSpace } from '../../src/exports/storage/storage-space.js';
import { createSpace } from '../support/exports/make-exporter.js';
import { refused, valid } from '../support/exports/operations-bed.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { createTestFolder } from '../support/harness/services.js';
import { insertOperation } from '../support/http/download-api.js';
import { OperationsApi } from '../support/http/operations-api.js';

const S3 = 's3://bucket/prefix?region=eu-west-1';
const NEW = randomUUID();
const NOWHERE = '127.0.0.1:9';

describe(StorageSpace.name, () => {
  let dataSource: DataSource;
  const folder = createTestFolder('exports');

  beforeAll(async () => {
    dataSource = await createMigratedDatabase();
  });

  beforeEach(() => dataSource.query('TRUNCATE operations, export_parts, export_claims'));

  const spaceOf = (env: Record<string, string>, changes: Partial<StorageSpace> = {}): StorageSpace =>
    Object.assign(createSpace(dataSource, env), { highWaterPercent: 100, ...changes });

  const hasRoom = (env: Record<string, string>, changes?: Partial<StorageSpace>): Promise<boolean> =>
    spaceOf(env, changes).hasRoomFor(NEW);

  const insertRunning = async (): Promise<string> => {
    const { operationId } = await insertOperation(dataSource, new FolderStorage(folder), [], {
      status: 'RUNNING',
    });
    return operationId;
  };

  /** Of 1,000 bytes. */
  const disk = (used: number) => ({
    EXPORT_STORAGE_URL: folder,
    readDisk: () => Promise.resolve({ used, total: 1_000 }),
  });

  /** The room that a turn sees, and whether it has worked. */
  const turnOf = async (space: StorageSpace, operationId: string, work = () => Promise.resolve()) => {
    try {
      await space.whileThereIsRoom(operationId, work);
      return 'stored';
    } catch (error) {
      return error;
    }
  };

  it('looks at the disk of the folder, also before the folder exists', async () => {
    const there = { EXPORT_STORAGE_URL: join(folder, 'not', 'yet') };
    expect(await hasRoom(there)).toBe(true);
    expect(await hasRoom(there, { highWaterPercent: 0 })).toBe(false);
  });

  it.each([S3, folder])('adds up what is stored in %s', async (url) => {
    const room = { EXPORT_STORAGE_URL: url };
    expect(await hasRoom({ ...room, EXPORT_STORAGE_MAX_BYTES: '20' })).toBe(true);
    await insertOperation(dataSource, new FolderStorage(folder), [Buffer.alloc(15), Buffer.alloc(5)], {});
    const [stored] = await dataSource.query<{ bytes: string }[]>(
      'SELECT sum(stored_bytes) AS bytes FROM export_parts',
    );
    const bytes = Number(stored?.bytes);
    expect(bytes).toBeGreaterThan(0);
    expect(await hasRoom({ ...room, EXPORT_STORAGE_MAX_BYTES: String(bytes + 1) })).toBe(true);
    expect(await hasRoom({ ...room, EXPORT_STORAGE_MAX_BYTES: String(bytes) })).toBe(false);
    expect(await hasRoom({ ...room, EXPORT_STORAGE_MAX_BYTES: '0' })).toBe(false);
  });

  it('counts for a new export what those that run, or are about to begin, may store', async () => {
    const { readDisk } = disk(900);
    const room = { highWaterPercent: 95, turnBytes: 20, readDisk };
    const limit = { EXPORT_STORAGE_URL: S3, EXPORT_STORAGE_MAX_BYTES: '40' };
    const answers = async () => [
      await hasRoom({ EXPORT_STORAGE_URL: folder }, room),
      await hasRoom(limit, { turnBytes: 20 }),
    ];
    await insertRunning();
    expect(await answers()).toEqual([true, true]);
    const claim = (operationId: string, age: number) =>
      dataSource.query(
        `INSERT INTO export_claims (operation_id, type, owner, request_digest, claimed_at, max_node_calls)
         VALUES ($1, '', '', '', extract(epoch FROM now()) - $2::int, 0)`,
        [operationId, age],
      );
    await claim(NEW, 0);
    await claim(randomUUID(), 7_200);
    expect(await answers()).toEqual([true, true]);
    await claim(randomUUID(), 0);
    expect(await answers()).toEqual([true, false]);
    await insertRunning();
    expect(await answers()).toEqual([false, false]);
  });

  it('lets no turn begin for which there is no room beside those that store, in any process', async () => {
    const ids = [await insertRunning(), await insertRunning(), await insertRunning()] as const;
    const process = () =>
      spaceOf({ EXPORT_STORAGE_URL: folder }, { ...disk(900), highWaterPercent: 95, turnBytes: 20 });
    const printed: unknown[] = [];
    await process().whileThereIsRoom(ids[0], () =>
      process().whileThereIsRoom(ids[1], async () => void printed.push(await turnOf(process(), ids[2]))),
    );
    expect(printed).toEqual([expect.objectContaining({ code: 'STORAGE_FULL' })]);
    expect(await turnOf(process(), ids[2])).toBe('stored');
  });

  it('gives room back when a turn fails, and in time when its worker dies', async () => {
    const ids = [await insertRunning(), await insertRunning()] as const;
    const space = spaceOf({ EXPORT_STORAGE_URL: S3, EXPORT_STORAGE_MAX_BYTES: '20' }, { turnBytes: 20 });
    const failure = new Error('away');
    expect(await turnOf(space, ids[0], () => Promise.reject(failure))).toBe(failure);
    expect(await turnOf(space, ids[1])).toBe('stored');
    const died = (seconds: number) =>
      dataSource.query(
        'UPDATE operations SET storing_until = extract(epoch FROM now()) + $2 WHERE operation_id = $1',
        [ids[0], seconds],
      );
    await died(60);
    expect(await turnOf(space, ids[1])).toMatchObject({ code: 'STORAGE_FULL' });
    await died(-1);
    expect(await turnOf(space, ids[1])).toBe('stored');
  });

  it('is what the API refuses exports by, which it has not begun then', async () => {
    const env = { EXPORT_STORAGE_MAX_BYTES: '0' };
    const api = await OperationsApi.start({ temporalAddress: NOWHERE, env });
    const message = 'the export storage is full; try again when other exports have been removed';
    refused(await api.export(valid), 503, message, 'Service Unavailable');
    expect(await api.dataSource.query('SELECT FROM export_claims')).toEqual([]);
  });
});

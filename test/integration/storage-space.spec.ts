import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { FolderStorage } from '../../src/exports/storage/folder-storage.js';
import { StorageSpace } from '../../src/resources/operations/export/storage-space.js';
import { insertOperation } from '../support/http/download-api.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestDatabase, createTestFolder } from '../support/harness/services.js';
import { ExportPartEntity } from '../../src/exports/turns/export-part.entity.js';

const FULL = {
  statusCode: 503,
  message: 'the export storage is full; try again when other exports have been removed',
};

describe(StorageSpace.name, () => {
  let dataSource: DataSource;
  const folder = createTestFolder('exports');

  beforeAll(async () => {
    const { url } = await createTestDatabase();
    dataSource = await new DataSource(
      dataSourceOptions({ url, poolSize: 2, entities: [ExportPartEntity] }),
    ).initialize();
    onCleanup(() => dataSource.destroy());
  });

  const checkRoom = (env: Record<string, string>, highWaterPercent = 100): Promise<void> => {
    const config = new Config(parseEnv({ DATABASE_URL: 'postgres://unused', ...env }));
    const space = new StorageSpace(config, dataSource.getRepository(ExportPartEntity));
    space.highWaterPercent = highWaterPercent;
    return space.checkRoom();
  };

  it('looks at the disk of the folder, also before the folder exists', async () => {
    const there = { EXPORT_STORAGE_URL: join(folder, 'not', 'yet') };
    await checkRoom(there);
    await expect(checkRoom(there, 1)).rejects.toMatchObject(FULL);
  });

  it.each(['s3://bucket/prefix?region=eu-west-1', folder])('adds up what is stored in %s', async (url) => {
    const room = { EXPORT_STORAGE_URL: url };
    await dataSource.query('TRUNCATE operations, export_parts');
    await checkRoom({ ...room, EXPORT_STORAGE_MAX_BYTES: '20' });
    await insertOperation(dataSource, new FolderStorage(folder), [Buffer.alloc(15), Buffer.alloc(5)], {});
    const [stored] = await dataSource.query<{ bytes: string }[]>(
      'SELECT sum(stored_bytes) AS bytes FROM export_parts',
    );
    const bytes = Number(stored?.bytes);
    expect(bytes).toBeGreaterThan(0);
    await checkRoom({ ...room, EXPORT_STORAGE_MAX_BYTES: String(bytes + 1) });
    await expect(checkRoom({ ...room, EXPORT_STORAGE_MAX_BYTES: String(bytes) })).rejects.toMatchObject(FULL);
  });
});

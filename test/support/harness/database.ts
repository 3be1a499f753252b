import { DataSource } from 'typeorm';
import { ENTITIES } from '../entities.js';
import { runMigrations } from '../../../src/platform/database/data-source.js';
import { onCleanup } from './cleanup.js';
import { createTestDatabase } from './services.js';
import { patientDataSource } from './data-source-options.js';

/** A database of its own with all tables. */
export async function createMigratedDatabase(): Promise<DataSource> {
  const { url } = await createTestDatabase();
  return connect(url);
}

/** One that a service may not have migrated yet. */
export async function openDatabase(url: string): Promise<DataSource> {
  const dataSource = await connect(url);
  await runMigrations(dataSource);
  return dataSource;
}

async function connect(url: string): Promise<DataSource> {
  const dataSource = await new DataSource(
    patientDataSource({ url, poolSize: 4, entities: ENTITIES }),
  ).initialize();
  onCleanup(() => dataSource.destroy());
  return dataSource;
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { dataSourceOptions, revertMigration, runMigrations } from '../../src/database/data-source.js';
import { createTestDatabase } from '../support/services.js';

/** All tables with their columns and indexes, without those that keep the migrations themselves. */
const SCHEMA = `
  SELECT table_name || '.' || column_name || ' ' || data_type AS what FROM information_schema.columns
   WHERE table_schema = 'public' AND table_name NOT LIKE '%migrations%'
  UNION ALL
  SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE '%migrations%'
  ORDER BY 1`;

describe('the migrations', () => {
  let dataSource: DataSource;

  beforeAll(async () => {
    const { url } = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions({ url, poolSize: 2 })).initialize();
  });

  afterAll(() => dataSource.destroy());

  const schema = async (): Promise<string[]> => {
    const rows: { what: string }[] = await dataSource.query(SCHEMA);
    return rows.map(({ what }) => what);
  };

  it('can be reverted one by one, leave nothing, and make the same schema again', async () => {
    await runMigrations(dataSource);
    const complete = await schema();
    expect(complete.length).toBeGreaterThan(100);
    for (const _ of dataSource.migrations) await revertMigration(dataSource);
    expect(await schema()).toEqual([]);
    await runMigrations(dataSource);
    expect(await schema()).toEqual(complete);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { revertMigration, runMigrations } from '../../src/platform/database/data-source.js';
import { ENTITIES } from '../support/entities.js';
import { createEmptyDatabase } from '../support/harness/services.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

/** All tables with their columns and indexes, without those that keep the migrations themselves. */
const SCHEMA = `
  SELECT table_name || '.' || column_name || ' ' || data_type AS what FROM information_schema.columns
   WHERE table_schema = 'public' AND table_name NOT LIKE '%migrations%'
  UNION ALL
  SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE '%migrations%'
  ORDER BY 1`;

/** The migrations' own table, and partitions, have no entity. */
const IS_OURS = `relnamespace = 'public'::regnamespace AND NOT relispartition AND relname NOT LIKE '%migrations%'`;

describe('the migrations', () => {
  let dataSource: DataSource;

  beforeAll(async () => {
    const { url } = await createEmptyDatabase();
    dataSource = await new DataSource(
      patientDataSource({ url, poolSize: 2, entities: ENTITIES }),
    ).initialize();
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

  it('make what the entities define', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('make no table, column and index that an entity does not name, and none that it only names', async () => {
    const columns = await names(
      `SELECT relname || '.' || attname || ' ' || format_type(atttypid, atttypmod)
              || CASE WHEN attnotnull THEN '' ELSE ' NULL' END AS name
         FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE ${IS_OURS} AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`,
    );
    const indexes = await names(
      `SELECT indexrelid::regclass AS name FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
        WHERE ${IS_OURS} AND NOT indisprimary AND NOT indisunique`,
    );
    const { entityMetadatas } = dataSource;
    expect(columns).toEqual(entityMetadatas.flatMap((entity) => entity.columns.map(describeColumn)).sort());
    expect(indexes).toEqual(entityMetadatas.flatMap(({ indices }) => indices.map(({ name }) => name)).sort());
  });

  const names = async (query: string): Promise<string[]> => {
    const rows = await dataSource.query<{ name: string }[]>(query);
    return rows.map(({ name }) => name).sort();
  };
});

type ColumnMetadata = DataSource['entityMetadatas'][number]['columns'][number];

/** As Postgres describes it. */
function describeColumn(column: ColumnMetadata): string {
  const { entityMetadata, databaseName, type, precision, scale, isArray, isNullable } = column;
  const size = precision == null ? '' : `(${precision},${scale})`;
  return `${entityMetadata.tableName}.${databaseName} ${String(type)}${size}${isArray ? '[]' : ''}${isNullable ? ' NULL' : ''}`;
}

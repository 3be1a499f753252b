import type { DataSource, QueryRunner } from 'typeorm';

/** Rows of a statement, also of one that writes and returns. The caller vouches for their shape. */
export async function select<Row>(
  source: DataSource | QueryRunner,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  if ('createQueryRunner' in source) return source.query<Row[]>(sql, [...parameters]);
  const { records } = await source.query(sql, [...parameters], true);
  return records as Row[];
}

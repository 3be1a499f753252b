import type { DataSource } from 'typeorm';

/** Has the check made of changed rows, and changes them back whatever it finds. Both changes are SQL. */
export async function withChange(
  dataSource: DataSource,
  { change, undo }: { change: string; undo: string },
  check: () => Promise<void>,
): Promise<void> {
  await dataSource.query(change);
  try {
    await check();
  } finally {
    await dataSource.query(undo);
  }
}

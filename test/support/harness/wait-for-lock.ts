import type { DataSource } from 'typeorm';
import { eventually } from './eventually.js';

/** Until each of them waits for another transaction, or has ended. Of a database in which nobody else waits. */
export async function waitForLock(dataSource: DataSource, ...works: Promise<unknown>[]): Promise<void> {
  let ended = 0;
  const end = (): void => void ended++;
  for (const work of works) work.then(end, end);
  await eventually('it waits for a lock', async () => {
    const waiting = await dataSource.query<unknown[]>(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return ended + waiting.length === works.length;
  });
}

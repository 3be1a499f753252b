import type { Database, Transaction } from '../database/database.js';
import { IndexError } from './index.error.js';
import type { IndexPlace } from './index-place.js';
import { isRefusedRow, sqlStateOf } from './refused-row.js';

/** Longer than any batch is written for: whoever holds the lock then hangs. */
const LOCK_TIMEOUT_MS = 10_000;
export const LOCK_NOT_AVAILABLE = '55P03';

const LOCAL_SETTINGS = {
  // Not waiting for the disk is safe: data and checkpoint commit together, so a crash of Postgres loses whole batches from the
  // end, and those are indexed again.
  synchronous_commit: 'off',
  // A batch of thousands of blocks on a slow disk; the pool's own limit is meant for the API's reads.
  statement_timeout: '5min',
  // Rows are always found by their key. The planner cannot know that: it guesses the size of unnested arrays, and while tables
  // grow this fast their statistics are old, so that now and then it would read a whole table for a batch.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  enable_memoize: 'off',
} as const;

/** As one statement, because each costs a round trip. */
const SETTINGS = Object.entries(LOCAL_SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(', ');

/**
 * Runs a transaction for bulk writing that no other process runs for the same chain at the same time: of the tip, a backfill, and
 * a worker that lost its heartbeat but still lives each waits for the other's batch, and then looks at what is there.
 * Throws OTHER_WRITER, and ROW_REFUSED for what no later try would change.
 */
export async function withIndexLock<T>(
  database: Database,
  { network, chain }: IndexPlace,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await database.transaction(async (transaction) => {
      await transaction.query({
        text: `SELECT ${SETTINGS}, set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true),
          pg_advisory_xact_lock(hashtextextended($1, 0)), set_config('lock_timeout', '0', true)`,
        values: [`index:${network}:${chain}`],
      });
      return work(transaction);
    });
  } catch (error) {
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) {
      const message = `another process is writing the ${chain} of ${network}`;
      throw new IndexError('OTHER_WRITER', message, { cause: error });
    }
    if (!isRefusedRow(error)) throw error;
    const message = `the database refuses a row of the ${chain} of ${network}: ${error.message}`;
    throw new IndexError('ROW_REFUSED', message, { cause: error });
  }
}

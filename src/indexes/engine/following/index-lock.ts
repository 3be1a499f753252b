import { IDLE_TRANSACTION_TIMEOUT_MS } from '../../../platform/database/data-source.js';
import type { Database, Transaction, TransactionOptions } from '../../../platform/database/database.js';
import { IndexError } from './index.error.js';
import type { IndexPlace } from './index-place.js';
import { isRefusedRow, sqlStateOf } from '../sql/refused-row.js';

/** Longer than writing any batch takes: a process that holds the lock for this long hangs. */
const LOCK_TIMEOUT_MS = 10_000;
export const LOCK_NOT_AVAILABLE = '55P03';

/** A batch of thousands of blocks on a slow disk; the pool's own limit is meant for the API's reads. */
const STATEMENT_TIMEOUT_MS = 300_000;

const LOCAL_SETTINGS = {
  // Not waiting for the disk is safe: data and checkpoint commit together, so a crash of Postgres loses whole batches from the
  // end, and those are indexed again.
  synchronous_commit: 'off',
  // Rows are always found by their key. The planner cannot know that: it guesses the size of unnested arrays, and while tables
  // grow this fast their statistics are old, so that now and then it would read a whole table for a batch.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  enable_memoize: 'off',
  // By its guesses a batch for large tables is expensive enough to be compiled, each statement anew: that costs more than it saves.
  jit: 'off',
} as const;

/** A batch is copied in seconds. A writer that has been in the middle of one as long as a transaction may idle is stopped, or gone. */
const HUNG_COPY_SECONDS = IDLE_TRANSACTION_TIMEOUT_MS / 1_000;

/** As one statement, because each costs a round trip. */
const SETTINGS = Object.entries(LOCAL_SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(', ');

interface LockLimits extends Pick<TransactionOptions, 'statementTimeoutMs'> {
  readonly lockTimeoutMs: number;
  readonly hungCopySeconds: number;
}

/**
 * Runs a transaction for bulk writing that no other process runs for the same chain at the same time: of the tip, a backfill, and
 * a worker that lost its heartbeat but still lives each waits for the other's batch, and then looks at what is there.
 * Throws OTHER_WRITER, and ROW_REFUSED for what no later try would change.
 */
export async function withIndexLock<T>(
  database: Database,
  { network, chain }: IndexPlace,
  work: (transaction: Transaction) => Promise<T>,
  {
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    hungCopySeconds = HUNG_COPY_SECONDS,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  }: Partial<LockLimits> = {},
): Promise<T> {
  try {
    return await database.transaction(
      async (transaction) => {
        await transaction.query({
          text: `SELECT ${SETTINGS}, set_config('lock_timeout', $2, true),
            pg_advisory_xact_lock(hashtextextended($1, 0)), set_config('lock_timeout', '0', true)`,
          values: [keyOf({ network, chain }), String(lockTimeoutMs)],
        });
        return work(transaction);
      },
      { statementTimeoutMs },
    );
  } catch (error) {
    await explainWait(error, database, { network, chain }, hungCopySeconds);
    if (!isRefusedRow(error)) throw error;
    const message = `the database refuses a row of the ${chain} of ${network}: ${error.message}`;
    throw new IndexError('ROW_REFUSED', message, { cause: error });
  }
}

/** Waits until no process runs such a transaction, in one statement. Throws OTHER_WRITER. */
export async function awaitIndexLock(database: Database, place: IndexPlace): Promise<void> {
  try {
    await database.query({
      text: "SELECT set_config('lock_timeout', $2, true), pg_advisory_xact_lock(hashtextextended($1, 0))",
      values: [keyOf(place), String(LOCK_TIMEOUT_MS)],
    });
  } catch (error) {
    await explainWait(error, database, place, HUNG_COPY_SECONDS);
    throw error;
  }
}

function keyOf({ network, chain }: IndexPlace): string {
  return `index:${network}:${chain}`;
}

/** Throws OTHER_WRITER if that is what the error means. */
async function explainWait(
  error: unknown,
  database: Database,
  place: IndexPlace,
  hungCopySeconds: number,
): Promise<void> {
  if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) return;
  await endHungCopy(database, { key: keyOf(place), hungCopySeconds });
  const message = `another process is writing the ${place.chain} of ${place.network}`;
  throw new IndexError('OTHER_WRITER', message, { cause: error });
}

/**
 * Postgres ends transactions that are idle between two statements, but not one whose client stops while it sends rows: none
 * of its timeouts applies there. After this the lock is free for the next attempt.
 */
async function endHungCopy(
  database: Database,
  { key, hungCopySeconds }: { key: string; hungCopySeconds: number },
): Promise<void> {
  await database.query({
    text: `SELECT pg_terminate_backend(a.pid)
             FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
              AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
              AND (l.classid::bigint << 32) | l.objid::bigint = hashtextextended($1, 0)
              AND a.state = 'active' AND a.wait_event = 'ClientRead'
              AND a.query_start < now() - make_interval(secs => $2)`,
    values: [key, hungCopySeconds],
  });
}

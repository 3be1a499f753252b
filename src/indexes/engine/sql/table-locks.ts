import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from '../../../platform/database/database.js';
import { sqlStateOf } from './refused-row.js';

/** Everybody who comes after us waits as long. Less than what Postgres waits before it looks for deadlocks (1 s): it finds none. */
const FIRST_WAIT_MS = 400;
/** Where the tables are never free for a moment, our turn has to come in the end. */
const LONGEST_WAIT_MS = 4_000;
const WAIT_GROWTH = 1.25;
/** In between, all who have waited for us go first. */
const PAUSE_MS = 250;
/** Exports read for minutes. */
const PATIENCE_MS = 300_000;
/** For a writer to end its batch, or whoever empties the same tables. */
const WRITERS_TIMEOUT_MS = 60_000;

/** A statement that has reached its limit, a deadlock. */
const MAY_PASS: ReadonlySet<string | undefined> = new Set(['57014', '40P01']);

/**
 * Locks tables until the transaction ends, so that nobody else reads or writes them: together, in the order in which statements that
 * read several of them name them; who writes several names them in the opposite one. Writers are waited for first, while readers go
 * on. Those are then waited for a moment at a time: who reads for minutes, or has locked some of the tables in another order, makes
 * nobody fail and holds nobody up. Throws when the tables are never free in five minutes.
 */
export async function lockTables(transaction: Transaction, tables: readonly string[]): Promise<void> {
  const run = (text: string): Promise<number> => transaction.execute({ text, values: [] });
  // This also ends vacuuming, which may take hours and only gives way to those who wait longer than for a moment.
  const lockWriters = `LOCK TABLE ${tables.toReversed().join(', ')} IN SHARE ROW EXCLUSIVE MODE`;
  await run(`SET LOCAL lock_timeout = ${WRITERS_TIMEOUT_MS}; ${lockWriters}; SET LOCAL lock_timeout = 0`);
  await run('SAVEPOINT unlocked');
  const patientUntil = performance.now() + PATIENCE_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * WAIT_GROWTH, LONGEST_WAIT_MS)) {
    // lock_timeout would count for each table.
    await run(`SET LOCAL statement_timeout = ${Math.round(waitMs)}`);
    try {
      await run(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
      break;
    } catch (error) {
      if (!MAY_PASS.has(sqlStateOf(error))) throw error;
      if (performance.now() > patientUntil) {
        throw new Error(`${tables.join(', ')}: somebody always reads them`, { cause: error });
      }
      await run('ROLLBACK TO SAVEPOINT unlocked');
    }
    await delay(PAUSE_MS);
  }
  await run(`RELEASE SAVEPOINT unlocked; SET LOCAL statement_timeout = ${transaction.statementTimeoutMs}`);
}

import pg from 'pg';

/** Waiting does not help: a person is needed. Nothing of the database is touched. */
export abstract class UnfitDatabaseError extends Error {}

/** Between Postgres and this process is a pooler that breaks what the service relies on. */
export class UnfitPoolerError extends UnfitDatabaseError {
  override readonly name = 'UnfitPoolerError';
}

/**
 * `setting` is where the pool's URL comes from. Throws UnfitPoolerError where connections are no sessions of their own: prepared statements, LISTEN and the lock of migrations belong to
 * sessions; or where a pooler has dropped the limits that each connection asks for.
 */
export async function requireSessions(pool: pg.Pool, setting = 'DATABASE_URL'): Promise<void> {
  const [one, another] = [new pg.Client(pool.options), new pg.Client(pool.options)];
  for (const client of [one, another]) client.on('error', () => undefined); // the next statement fails
  try {
    await Promise.all([one.connect(), another.connect()]);
    const read = 'SELECT pg_backend_pid() AS pid, current_setting($1) AS limit';
    const first = await one.query<Session>(read, ['statement_timeout']);
    await another.query('BEGIN');
    const second = await another.query<Session>(read, ['statement_timeout']);
    await another.query('ROLLBACK');
    if (first.rows[0]?.pid === second.rows[0]?.pid) {
      throw new UnfitPoolerError(
        `${setting} leads to a pooler that shares sessions among connections (PgBouncer: pool_mode = transaction): use session pooling, or none`,
      );
    }
    if ((pool.options.statement_timeout ?? 0) !== 0 && first.rows[0]?.limit === '0') {
      throw new UnfitPoolerError(
        `${setting} leads to a pooler that drops statement_timeout and idle_in_transaction_session_timeout: set both for the user, with ALTER ROLE … SET`,
      );
    }
  } finally {
    await Promise.all([one, another].map((client) => client.end().catch(() => undefined)));
  }
}

interface Session {
  pid: number;
  limit: string;
}

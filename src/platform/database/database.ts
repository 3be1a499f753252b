import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { answerTimeoutMs, poolOf, withoutTimeouts } from './data-source.js';

/** Each connection keeps what it has prepared; the lists' texts differ by page size, filters and order. */
const MAX_PREPARED_STATEMENTS = 500;

/** SQL with its values, as the driver takes it. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The best plan is the same for all values, so that it need not be made anew each time. */
  readonly onePlan?: boolean;
}

export interface Reader {
  /** The rows that it reads, or returns after a change. The caller vouches for their shape. */
  query<Row extends object>(statement: Statement): Promise<Row[]>;
}

/** Executor of statements: the whole database, or one transaction. */
export interface Queryable extends Reader {
  /** How many rows it has changed. */
  execute(statement: Statement): Promise<number>;
}

/** As the driver takes it with a query, instead of its pool's; its types do not know it. */
export interface AnswerTimeout {
  readonly query_timeout: number;
}

/** The statements of one transaction, over the connection that is its own until it ends. */
export class Transaction implements Queryable {
  /** Also for a stream on the connection. */
  readonly timeout: AnswerTimeout;

  /** `connection` is for streams; no other code releases it. `statementTimeoutMs`: what the server's limit is within it. */
  constructor(
    readonly connection: pg.PoolClient,
    readonly statementTimeoutMs: number,
  ) {
    this.timeout = { query_timeout: answerTimeoutMs(statementTimeoutMs) };
  }

  async query<Row extends object>(statement: Statement): Promise<Row[]> {
    return (await this.run<Row>(statement)).rows;
  }

  async execute(statement: Statement): Promise<number> {
    return (await this.run(statement)).rowCount ?? 0;
  }

  /** Settings of the server, until it ends. */
  async set(settings: Readonly<Record<string, string>>): Promise<void> {
    const calls = Object.keys(settings).map((_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, true)`);
    await this.query({ text: `SELECT ${calls.join(', ')}`, values: Object.entries(settings).flat() });
  }

  /** Locks what a query reads, ahead of a COPY: that one decides what it sees before it waits for a partition that is being exchanged. */
  async lockRead(query: string): Promise<void> {
    await this.execute({ text: `SELECT FROM (${query}) AS locked LIMIT 0`, values: [] });
  }

  private run<Row extends object>({ text, values }: Statement): Promise<pg.QueryResult<Row>> {
    const query = { text, values: [...values], ...this.timeout };
    return this.connection.query<Row>(query);
  }
}

export interface TransactionOptions {
  readonly begin?: 'BEGIN' | 'BEGIN ISOLATION LEVEL REPEATABLE READ';
  readonly statementTimeoutMs?: number;
}

/**
 * Statements straight to the driver, over TypeORM's pool: for lists, whose cost is counted in fractions of a millisecond, bulk writes
 * and streams. Prepared where one plan serves all values of the statement.
 */
@Injectable()
export class Database implements Queryable {
  private readonly names = new Map<string, string>();

  constructor(private readonly dataSource: DataSource) {}

  async query<Row extends object>(statement: Statement): Promise<Row[]> {
    return (await this.run<Row>(statement)).rows;
  }

  async execute(statement: Statement): Promise<number> {
    return (await this.run(statement)).rowCount ?? 0;
  }

  /**
   * All that `work` does, or nothing when it throws. A broken connection, or one whose server has not answered, is never used again.
   * `statementTimeoutMs` replaces the pool's limit for each statement; 0: none.
   */
  async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { begin = 'BEGIN', statementTimeoutMs }: TransactionOptions = {},
  ): Promise<T> {
    const connection = await this.connect();
    // One that breaks between two statements: the next one fails, but without a listener the process would end.
    connection.on('error', ignore);
    let isClean = false;
    const transaction = new Transaction(connection, statementTimeoutMs ?? this.statementTimeoutMs);
    const run = (text: string): Promise<number> => transaction.execute({ text, values: [] });
    try {
      const limit =
        statementTimeoutMs === undefined ? '' : `; SET LOCAL statement_timeout = ${statementTimeoutMs}`;
      await run(`${begin}${limit}`); // as one, because each costs a round trip
      const result = await work(transaction);
      await run('COMMIT');
      isClean = true;
      return result;
    } catch (error) {
      isClean =
        !isUnanswered(error) &&
        (await run('ROLLBACK').then(
          () => true,
          () => false,
        ));
      throw error;
    } finally {
      connection.off('error', ignore);
      connection.release(!isClean);
    }
  }

  /**
   * Once much was written: which pages of the tables hold nothing that is dead, and their statistics unless those are new. For as long as
   * it takes, outside of transactions; what another process vacuums already is left to it.
   */
  async vacuum(
    tables: readonly string[],
    signal: AbortSignal,
    { isAnalyzed = false }: { isAnalyzed?: boolean } = {},
  ): Promise<void> {
    const options = isAnalyzed ? 'SKIP_LOCKED' : 'ANALYZE, SKIP_LOCKED';
    await withoutTimeouts(this.dataSource, async (run) => {
      const [backend] = await run<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const cancel = (): void => {
        this.query({ text: 'SELECT pg_cancel_backend($1)', values: [backend?.pid] }).catch(ignore);
      };
      signal.addEventListener('abort', cancel);
      try {
        for (const table of tables) {
          signal.throwIfAborted();
          await run(`VACUUM (${options}) ${table}`);
        }
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    });
  }

  /** A connection of one's own, for transactions and streams; to be released. */
  connect(): Promise<pg.PoolClient> {
    return this.pool().connect();
  }

  /** Lets the pool have so many more connections than are configured. */
  allowMore(connections: number): void {
    this.pool().options.max += connections;
  }

  /** Connections of the pool now. */
  poolUse(): { total: number; idle: number; waiting: number; max: number } {
    const { totalCount: total, idleCount: idle, waitingCount: waiting, options } = this.pool();
    return { total, idle, waiting, max: options.max };
  }

  private run<Row extends object>({
    text,
    values,
    onePlan = false,
  }: Statement): Promise<pg.QueryResult<Row>> {
    const name = onePlan ? this.nameOf(text) : undefined;
    const query = {
      text,
      values: [...values],
      ...(name === undefined ? {} : { name }),
    };
    return this.pool().query<Row>(query);
  }

  /** The server's limit for each statement, as the pool sets it. */
  private get statementTimeoutMs(): number {
    const { statement_timeout: limit = 0 } = this.pool().options;
    return limit === false ? 0 : limit;
  }

  private pool(): pg.Pool {
    return poolOf(this.dataSource);
  }

  private nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined || this.names.size >= MAX_PREPARED_STATEMENTS) return known;
    const name = createHash('sha256').update(text).digest('base64url');
    this.names.set(text, name);
    return name;
  }
}

function ignore(): void {
  return undefined;
}

/** In the driver's words. */
export const UNANSWERED = 'Query read timeout';

/** The statement is still under way then, as far as anybody knows, and any other on its connection would wait for it. */
function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === UNANSWERED;
}

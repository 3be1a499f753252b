import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import type { Statement } from './statement.js';

/** Each connection keeps what it has prepared; the lists' texts differ by page size, filters and order. */
const MAX_PREPARED_STATEMENTS = 500;

/** Who takes statements: the whole database, or one transaction. */
export interface Queryable {
  /** The rows that it reads, or returns after a change. The caller vouches for their shape. */
  query<Row extends object>(statement: Statement): Promise<Row[]>;
  /** How many rows it has changed. */
  execute(statement: Statement): Promise<number>;
}

/** The statements of one transaction, over the connection that is its own until it ends. */
export class Transaction implements Queryable {
  /** `connection` is for streams (COPY); no other code releases it. */
  constructor(readonly connection: pg.PoolClient) {}

  async query<Row extends object>({ text, values }: Statement): Promise<Row[]> {
    return (await this.connection.query<Row>(text, [...values])).rows;
  }

  async execute({ text, values }: Statement): Promise<number> {
    return (await this.connection.query(text, [...values])).rowCount ?? 0;
  }
}

/**
 * The one door to Postgres: statements straight to the driver, over the pool that TypeORM has opened for its migrations. A list's
 * cost is counted in fractions of a millisecond. Prepared where the statement says that one plan serves all of its values.
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

  /** All that `work` does, or nothing when it throws. A broken connection is never used again. */
  async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { begin = 'BEGIN' }: { begin?: 'BEGIN' | 'BEGIN ISOLATION LEVEL REPEATABLE READ' } = {},
  ): Promise<T> {
    const connection = await this.connect();
    // One that breaks between two statements: the next one fails, but without a listener the process would end.
    connection.on('error', ignore);
    let isClean = false;
    try {
      await connection.query(begin);
      const result = await work(new Transaction(connection));
      await connection.query('COMMIT');
      isClean = true;
      return result;
    } catch (error) {
      isClean = await connection.query('ROLLBACK').then(
        () => true,
        () => false,
      );
      throw error;
    } finally {
      connection.off('error', ignore);
      connection.release(!isClean);
    }
  }

  /** A connection of one's own, for transactions and streams; to be released. */
  connect(): Promise<pg.PoolClient> {
    return this.pool().connect();
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
    return this.pool().query<Row>({ text, values: [...values], ...(name === undefined ? {} : { name }) });
  }

  private pool(): pg.Pool {
    const { driver } = this.dataSource;
    if ('master' in driver && driver.master instanceof pg.Pool) return driver.master;
    throw new Error('TypeORM keeps its pool elsewhere');
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

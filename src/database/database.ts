import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import type { Statement } from './statement.js';

/** Each connection keeps what it has prepared; the lists' texts differ by page size, filters and order. */
const MAX_PREPARED_STATEMENTS = 500;

/**
 * Statements straight to the driver, over the pool that TypeORM has opened: a list's cost is counted in fractions of a
 * millisecond. Prepared where the statement says that one plan serves all of its values.
 */
@Injectable()
export class Database {
  private readonly names = new Map<string, string>();

  constructor(private readonly dataSource: DataSource) {}

  async query<Row extends object>({ text, values, onePlan = false }: Statement): Promise<Row[]> {
    const name = onePlan ? this.nameOf(text) : undefined;
    const { rows } = await this.pool().query<Row>({
      text,
      values: [...values],
      ...(name === undefined ? {} : { name }),
    });
    return rows;
  }

  /** A connection of one's own, for transactions and streams; to be released. */
  connect(): Promise<pg.PoolClient> {
    return this.pool().connect();
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

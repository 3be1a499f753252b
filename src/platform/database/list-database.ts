import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Config } from '../config/config.module.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Reader, Statement } from './database.js';
import { Replica } from './replica.js';

/** Postgres's code for a statement that has reached its limit. */
const TIMED_OUT = '57014';

/** Where lists are read: the streaming replica, if there is one that keeps up, and otherwise the primary. */
@Injectable()
export class ListDatabase implements Reader, OnApplicationShutdown {
  /** For how far the rows of lists go: never newer than what `query` reads afterwards, even if it is remembered for a second. */
  readonly extent: Reader = {
    query: (statement) => this.read(statement, this.replica?.standing !== 'left out'),
  };

  private readonly knowsMore = new AsyncLocalStorage<true>();

  constructor(
    private readonly primary: Reader,
    private readonly replica?: Replica,
  ) {}

  static async connect({ env }: Config, primary: Reader, metrics: Metrics): Promise<ListDatabase> {
    const { DATABASE_REPLICA_URL: url, DATABASE_POOL_SIZE: poolSize } = env;
    if (url === undefined) return new ListDatabase(primary);
    const replica = new Replica(primary, { url, poolSize });
    await replica.start();
    measure(replica, metrics);
    return new ListDatabase(primary, replica);
  }

  query<Row extends object>(statement: Statement): Promise<Row[]> {
    const isServed = this.replica?.standing === 'serving' && this.knowsMore.getStore() === undefined;
    return this.read(statement, isServed);
  }

  /** All that is queried within `work` is read from the primary: for whoever knows of rows that a replica may not have yet. */
  fromPrimary<T>(work: () => Promise<T>): Promise<T> {
    return this.knowsMore.run(true, work);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.replica?.stop();
  }

  private async read<Row extends object>(statement: Statement, isServed: boolean): Promise<Row[]> {
    if (this.replica === undefined || !isServed) return this.primary.query<Row>(statement);
    try {
      return await this.replica.query<Row>(statement);
    } catch (error) {
      if (error instanceof Error && Reflect.get(error, 'code') === TIMED_OUT) throw error;
      const rows = await this.primary.query<Row>(statement); // fails, too, if the statement was the reason
      this.replica.leaveOut(error);
      return rows;
    }
  }
}

function measure(replica: Replica, metrics: Metrics): void {
  const serving = metrics.gauge({
    name: 'nds_replica_serving',
    help: 'Whether lists are read from the replica (1) or from the primary (0)',
  });
  const lag = metrics.gauge({
    name: 'nds_replica_lag_seconds',
    help: 'How long ago the primary was where the replica is; absent where that is unknown or too long',
  });
  metrics.onScrape([serving, lag], () => () => {
    serving.set(replica.standing === 'serving' ? 1 : 0);
    if (replica.lagMs !== undefined) lag.set(replica.lagMs / 1_000);
  });
}

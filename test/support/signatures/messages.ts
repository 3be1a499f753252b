import type { DataSource } from 'typeorm';
import { Database, type Transaction } from '../../../src/platform/database/database.js';
import type { Projection, ProjectedChain } from '../../../src/indexes/evm/projections/projection.js';
import type { WatchedLog } from '../../../src/indexes/evm/projections/watched-log.js';
import { MessageProjection } from '../../../src/resources/interchain-messages/message-projection.js';

const TABLES = ['icm_sends', 'icm_deliveries', 'icm_fees', 'icm_executions', 'icm_senders'];

/** The projection of messages over a database, driven by hand. */
export class Messages {
  readonly database: Database;

  constructor(
    dataSource: DataSource,
    private readonly projection: Projection = new MessageProjection(),
  ) {
    this.database = new Database(dataSource);
  }

  apply(chain: ProjectedChain, logs: readonly WatchedLog[]): Promise<void> {
    return this.database.transaction((transaction) => this.applyWithin(transaction, chain, logs));
  }

  applyWithin(transaction: Transaction, chain: ProjectedChain, logs: readonly WatchedLog[]): Promise<void> {
    return this.projection.apply(transaction, chain, logs);
  }

  async clear(chain: ProjectedChain): Promise<void> {
    const clearSome = () =>
      this.database.transaction((transaction) => this.projection.clear(transaction, chain));
    while (!(await clearSome()));
  }

  /** All rows and the lists as they are now, each as text, in no order that matters. */
  async rows(): Promise<string[]> {
    const queries = [
      ...TABLES.map((table) => `SELECT '${table} ' || row_to_json(r)::text AS row FROM ${table} r`),
      `SELECT concat_ws(' ', 'listing', network, encode(address, 'hex'), sort_time, encode(message_id, 'hex')) AS row
         FROM icm_listings WHERE until_version IS NULL`,
    ];
    const rows = await this.database.query<{ row: string }>({
      text: queries.join(' UNION ALL '),
      values: [],
    });
    return rows.map(({ row }) => row).sort();
  }
}

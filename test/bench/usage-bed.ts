import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { UsageRollUp } from '../../src/access/usage/usage-roll-up.js';
import { UsageRollUpRepository } from '../../src/access/usage/usage-roll-up.repository.js';
import { dataSourceOptions, runMigrations } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { SpendingRepository } from '../../src/access/limits/spending.repository.js';
import { generateRequests } from '../support/http/generated-usage.js';
import { makeBenchFolder } from './bench-folder.js';
import { startChild } from './child.js';
import { HttpClient } from './http-client.js';
import { createUnlimitedKey } from './unlimited-key.js';
import { ENTITIES } from '../support/entities.js';

/** One of the generated organisations: the client's. */
export const ORG = 'org-1';
const FOR_EVER = { logDays: 10_000, usageDays: 10_000 };
const DAY_SECONDS = 86_400;

export interface UsageBed {
  readonly dataSource: DataSource;
  readonly database: Database;
  /** With a key of ORG. */
  readonly client: HttpClient;
  /** UNIX seconds: whole days, so that what the bench itself asks is behind them. */
  readonly from: number;
  readonly to: number;
}

/** An API over generated requests of the last days, all rolled up. */
export async function withUsage(
  { requests, days, log }: { requests: number; days: number; log: (text: string) => void },
  work: (bed: UsageBed) => Promise<void>,
): Promise<void> {
  const folder = makeBenchFolder();
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    // The data are made for once; how fast they come to the disk is not what is measured.
    settings: { fsync: 'off', synchronous_commit: 'off', max_wal_size: '8GB' },
  });
  try {
    const options = dataSourceOptions({ url: postgres.url, poolSize: 2, entities: ENTITIES });
    // The bench reads the whole log at once, which the service never does.
    const dataSource = await new DataSource({ ...options, extra: { statement_timeout: 0 } }).initialize();
    await runMigrations(dataSource);
    const database = new Database(dataSource);
    log(`logging ${requests} requests of ${days} days`);
    await generateRequests(dataSource, { count: requests, days });
    log('rolling them up');
    const startedAt = performance.now();
    const rollUp = new UsageRollUp(new UsageRollUpRepository(database), new SpendingRepository(database));
    await rollUp.run({ ...FOR_EVER, signal: new AbortController().signal });
    log(`rolled up in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    await dataSource.query('VACUUM ANALYZE');
    const key = await createUnlimitedKey(dataSource, ORG);
    const api = await startChild({
      name: 'api',
      entry: 'dist/test-programs/bench/metering-api.js',
      args: ['metered'],
      folder,
      env: { DATABASE_URL: postgres.url, LOG_LEVEL: 'warn' },
    });
    const client = new HttpClient(api.url, { 'x-data-api-key': key });
    try {
      const to = Math.floor(Date.now() / 1000 / DAY_SECONDS) * DAY_SECONDS;
      await work({ dataSource, database, client, from: to - days * DAY_SECONDS, to });
    } finally {
      client.close();
      await api.stop();
    }
    await dataSource.destroy();
  } finally {
    await postgres.stop();
  }
}

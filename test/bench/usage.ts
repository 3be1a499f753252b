import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { usageStatement } from '../../src/api-usage/usage-query.js';
import type { Dimension } from '../../src/api-usage/usage.js';
import { UsageRollUp } from '../../src/api-usage/usage-roll-up.js';
import { UsageRollUpRepository } from '../../src/api-usage/usage-roll-up.repository.js';
import { dataSourceOptions, runMigrations } from '../../src/database/data-source.js';
import { Database } from '../../src/database/database.js';
import { startPostgres } from '../../src/embedded/postgres-server.js';
import { SpendingRepository } from '../../src/rate-limits/spending.repository.js';
import { generateRequests } from '../support/http/generated-usage.js';
import { startChild } from './child.js';
import { HttpClient } from './http-client.js';
import { describeMachine } from './machine.js';
import { measure, summarise } from './measure.js';
import { row } from './pages.js';
import { createUnlimitedKey } from './unlimited-key.js';

/** `npm run bench:usage`: how long callers wait for their usage of a year, and how much of that is Postgres. */

const REQUESTS = 1_000_000;
const DAYS = 365;
const DAY_SECONDS = 86_400;
const MEASURED_MS = 5_000;
const GOAL_MS = 100;
/** One of the generated organisations. */
const ORG = 'org-1';
const FOR_EVER = { logDays: 10_000, usageDays: 10_000 };

const say = (text: string): void => console.error(`[bench] ${text}`);

const QUESTIONS: readonly { what: string; timeInterval: 'hourly' | 'daily'; groupBy?: Dimension }[] = [
  { what: 'a year by the hour', timeInterval: 'hourly' },
  { what: 'a year by the day', timeInterval: 'daily' },
  { what: 'a year by the day and path', timeInterval: 'daily', groupBy: 'requestPath' },
];

const folder = mkdtempSync(join(tmpdir(), 'nds-bench-'));
chmodSync(folder, 0o755); // Postgres runs as another user when this is root
const postgres = await startPostgres({
  dataDir: join(folder, 'postgres'),
  // The data are made for once; how fast they come to the disk is not what is measured.
  settings: { fsync: 'off', synchronous_commit: 'off', max_wal_size: '8GB' },
});
try {
  const dataSource = await new DataSource(dataSourceOptions({ url: postgres.url, poolSize: 2 })).initialize();
  await runMigrations(dataSource);
  const database = new Database(dataSource);
  say(`logging ${REQUESTS} requests of ${DAYS} days`);
  await generateRequests(dataSource, { count: REQUESTS, days: DAYS });
  say('rolling them up');
  const rollUp = new UsageRollUp(new UsageRollUpRepository(database), new SpendingRepository(database));
  await rollUp.run({ ...FOR_EVER, signal: new AbortController().signal });
  await dataSource.query('VACUUM ANALYZE');
  const key = await createUnlimitedKey(database, ORG);
  const api = await startChild({
    name: 'api',
    entry: 'test/bench/metering-api.ts',
    args: ['metered'],
    folder,
    env: { DATABASE_URL: postgres.url, LOG_LEVEL: 'warn' },
  });
  const client = new HttpClient(api.url, { 'x-data-api-key': key });
  try {
    const to = Math.floor(Date.now() / 1000 / DAY_SECONDS) * DAY_SECONDS;
    const from = to - DAYS * DAY_SECONDS;
    const lines: string[] = [];
    for (const { what, timeInterval, groupBy } of QUESTIONS) {
      const query = `timeInterval=${timeInterval}${groupBy === undefined ? '' : `&groupBy=${groupBy}`}`;
      const path = `/v1/apiUsageMetrics?${query}&startTimestamp=${from}&endTimestamp=${to}`;
      const statement = usageStatement({ orgId: ORG, timeInterval, from, to, filters: {}, groupBy });
      let bytes = 0;
      const answer = await measure({
        forMs: MEASURED_MS,
        call: async () => {
          const { status, body } = await client.get(path);
          if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
          bytes = body.length;
        },
      });
      const rows = await measure({ forMs: MEASURED_MS, call: () => database.query(statement) });
      const { p50Ms, p95Ms } = summarise([answer]);
      lines.push(
        row([
          what,
          `${p50Ms.toFixed(0)} ms`,
          `${p95Ms.toFixed(0)} ms`,
          `${summarise([rows]).p50Ms.toFixed(0)} ms`,
          `${(bytes / 1e6).toFixed(2)} MB`,
        ]),
      );
    }
    console.log(
      [
        row(['Usage', `Answer p50 (goal < ${GOAL_MS} ms)`, 'p95', 'Its SQL p50', 'Answer']),
        row(['---', '---', '---', '---', '---']),
        ...lines,
        '',
        `${REQUESTS} requests of three organisations in ${DAYS} days. ${describeMachine()}.`,
      ].join('\n'),
    );
  } finally {
    client.close();
    await api.stop();
  }
  await dataSource.destroy();
} finally {
  await postgres.stop();
  postgres.removeData();
  rmSync(folder, { recursive: true, force: true });
}

import { ApiRequest } from '../../src/access/usage/usage.entities.js';
import { UsageRepository } from '../../src/resources/api-usage/usage.repository.js';
import type { Dimension } from '../../src/access/usage/usage.js';
import { describeMachine } from './machine.js';
import { measure, summarise } from './measure.js';
import { parseNumbers } from './options.js';
import { row } from './pages.js';
import { ORG, type UsageBed, withUsage } from './usage-bed.js';
import { compareUsage } from './usage-comparison.js';

/**
 * `npm run bench -- usage`: how long callers wait for their usage of a year, and how much of that is Postgres.
 *
 * `npm run bench -- usage --compare 10000000`: whether all answers of a month with so many requests equal the log.
 */

const USAGE = `Usage: npm run bench -- usage [options]
  --requests N  requests of those days (1000000)
  --days N      until now (365)
  --seconds S   how long each question is asked (5)
  --compare N   requests of a month, whose answers are compared`;
const MONTH_DAYS = 30;
const GOAL_MS = 100;

const { requests, days, seconds, compare } = parseNumbers(USAGE, {
  requests: 1_000_000,
  days: 365,
  seconds: 5,
  compare: 0,
});

const log = (text: string): void => console.error(`[bench] ${text}`);

const QUESTIONS: readonly { what: string; timeInterval: 'hourly' | 'daily'; groupBy?: Dimension }[] = [
  { what: 'by the hour', timeInterval: 'hourly' },
  { what: 'by the day', timeInterval: 'daily' },
  { what: 'by the day and path', timeInterval: 'daily', groupBy: 'requestPath' },
];

async function measureAnswers({ client, dataSource, database, from, to }: UsageBed): Promise<void> {
  const usage = new UsageRepository(dataSource.getRepository(ApiRequest), database);
  const lines: string[] = [];
  for (const { what, timeInterval, groupBy } of QUESTIONS) {
    const query = `timeInterval=${timeInterval}${groupBy === undefined ? '' : `&groupBy=${groupBy}`}`;
    const path = `/v1/apiUsageMetrics?${query}&startTimestamp=${from}&endTimestamp=${to}`;
    const statement = usage.statement({ orgId: ORG, timeInterval, from, to, filters: {}, groupBy });
    let bytes = 0;
    const answer = await measure({
      forMs: seconds * 1_000,
      call: async () => {
        bytes = (await client.read(path)).length;
      },
    });
    const rows = await measure({ forMs: seconds * 1_000, call: () => database.query(statement) });
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
      row([`Usage of ${days} days`, `Answer p50 (goal < ${GOAL_MS} ms)`, 'p95', 'Its SQL p50', 'Answer']),
      row(['---', '---', '---', '---', '---']),
      ...lines,
      '',
      `${requests} requests of three organisations in ${days} days. ${describeMachine()}.`,
    ].join('\n'),
  );
}

if (compare === 0) {
  await withUsage({ requests, days, log }, measureAnswers);
} else {
  await withUsage({ requests: compare, days: MONTH_DAYS, log }, (bed) => compareUsage(bed, log));
}

import { beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { DataSource } from 'typeorm';
import { AuditReports } from '../../activities/audit-reports.js';
import type { AuditReport } from '../../src/indexes/engine/audit/compare-at-one-height.js';
import { IndexAlarms } from '../../src/indexes/engine/progress/index-alarms.js';
import { IndexProgressRepository } from '../../src/indexes/engine/progress/index-progress.repository.js';
import { IndexMetrics } from '../../src/indexes/overview/index-metrics.js';
import { IndexOverviews } from '../../src/indexes/overview/index-overviews.js';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { Database } from '../../src/platform/database/database.js';
import { ListDatabase } from '../../src/platform/database/list-database.js';
import { Metrics } from '../../src/platform/metrics/metrics.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const AUDIT = { network: 'fuji', audit: 'native-supply-audit', title: 'supply' } as const;
const RIGHT: AuditReport = { height: 7n, comparisons: 2, skipped: [], differences: [] };

describe(AuditReports.name, () => {
  let dataSource: DataSource;
  let attempt = 0;

  beforeAll(async () => {
    dataSource = await createMigratedDatabase();
  });

  /** As an operator sees it. */
  const publish = async (report: AuditReport | null) => {
    const database = new Database(dataSource);
    const reports = new AuditReports(new IndexProgressRepository(database), new IndexAlarms(new Metrics()));
    const environment = new MockActivityEnvironment({ currentAttemptScheduledTimestampMs: ++attempt });
    await environment.run(() => reports.publish(AUDIT, report));
    const [row] = await dataSource.query<{ state: string; height: string | null; message: string | null }[]>(
      'SELECT state, height, message FROM index_progress',
    );
    const metrics = new Metrics();
    const config = new Config(parseEnv({ DATABASE_URL: 'postgres://unused' }));
    new IndexMetrics(metrics, new IndexOverviews(config, new ListDatabase(database)));
    const text = await metrics.text();
    const valueOf = (name: string) => new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(text)?.[1];
    return { ...row, done: valueOf('nds_audit_done'), passed: valueOf('nds_audit_passed') };
  };

  it.each<[string, AuditReport | null, object]>([
    [
      'one that had nothing to look at',
      null,
      { message: expect.stringContaining('not done: nothing is indexed yet') },
    ],
    [
      'one that skipped everything',
      { ...RIGHT, comparisons: 0, skipped: ['the node: away'] },
      { message: 'not done: the node: away' },
    ],
    [
      'one that skipped what it is there for',
      { ...RIGHT, skipped: ['the node: away'], isDone: false },
      { message: 'not done: the node: away' },
    ],
  ])('shows %s as not done', async (_, report, shown) => {
    expect(await publish(report)).toEqual({
      state: 'waiting',
      height: null,
      done: '0',
      passed: undefined,
      ...shown,
    });
  });

  it('shows one that found nothing as passed, and one that found something as not, whatever it skipped', async () => {
    expect(await publish(RIGHT)).toMatchObject({ state: 'running', height: '7', done: '1', passed: '1' });
    expect(await publish({ ...RIGHT, comparisons: 3, skipped: ['block 5'] })).toMatchObject({
      state: 'running',
      message: null,
    });
    expect(await publish({ ...RIGHT, isDone: false, differences: ['a sum'] })).toMatchObject({
      state: 'stopped',
      message: 'the database differs from the node: a sum',
      done: '1',
      passed: '0',
    });
    expect(await publish(null)).toMatchObject({
      state: 'waiting',
      height: '7',
      done: '0',
      passed: undefined,
    });
  });
});

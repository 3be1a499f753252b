import { describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { AuditReport } from '../src/indexes/engine/audit/compare-at-one-height.js';
import { IndexAlarms } from '../src/indexes/engine/progress/index-alarms.js';
import type { IndexProgressRepository } from '../src/indexes/engine/progress/index-progress.repository.js';
import { Metrics } from '../src/platform/metrics/metrics.js';
import { AuditReports } from './audit-reports.js';

/** The state that the health answer shows. */
async function shown(report: Partial<AuditReport>): Promise<unknown> {
  const saved: unknown[] = [];
  const keep = (_: unknown, state: unknown): Promise<void> => {
    saved.push(state);
    return Promise.resolve();
  };
  const progress: Pick<IndexProgressRepository, 'save' | 'saveState'> = { save: keep, saveState: keep };
  const reports = new AuditReports(progress as IndexProgressRepository, new IndexAlarms(new Metrics()));
  const whole = { height: 7n, comparisons: 0, skipped: [], differences: [], ...report };
  await new MockActivityEnvironment().run(() =>
    reports.publish({ network: 'fuji', audit: 'evm-audit', title: 'EVM chains' }, whole),
  );
  return saved[0];
}

describe(AuditReports.name, () => {
  it.each([
    ['in order', { comparisons: 3, skipped: ['block 5'] }, { state: 'running', message: null }],
    [
      'not done',
      { skipped: ['no node answers'] },
      { state: 'waiting', message: 'not done: no node answers' },
    ],
    [
      'different',
      { comparisons: 3, differences: ['block 5: 1 and 2'] },
      { state: 'stopped', message: 'the database differs from the node: block 5: 1 and 2' },
    ],
  ])('shows an audit that is %s', async (_, report, expected) => {
    expect(await shown(report)).toMatchObject(expected);
  });
});

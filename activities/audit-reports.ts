import { Injectable, Logger } from '@nestjs/common';
import type { AuditReport } from '../src/indexes/engine/audit/compare-at-one-height.js';
import type { AuditName } from '../src/platform/database/chains.js';
import { IndexAlarms } from '../src/indexes/engine/progress/index-alarms.js';
import { IndexProgressRepository } from '../src/indexes/engine/progress/index-progress.repository.js';
import type { AuditResult } from '../workflows/contracts/scheduled.js';
import { attemptVersion } from './attempt-version.js';

interface Audited {
  readonly network: string;
  /** Name under which the health answer shows the last audit. */
  readonly audit: AuditName;
  /** For people. */
  readonly title: string;
}

/** Tells what audits have found. */
@Injectable()
export class AuditReports {
  private readonly logger = new Logger(AuditReports.name);

  constructor(
    private readonly progress: IndexProgressRepository,
    private readonly alarms: IndexAlarms,
  ) {}

  /** Null where there is nothing to compare, or nothing to compare it with. */
  async publish(audited: Audited, report: AuditReport | null): Promise<AuditResult> {
    if (report === null) {
      return {
        height: '-1',
        comparisons: 0,
        skipped: ['nothing is indexed yet, or no node configured'],
        differences: [],
      };
    }
    const { height, comparisons, skipped, differences } = report;
    if (differences.length > 0) this.raiseAlarm(audited, differences);
    await this.show(audited, report);
    return {
      height: height.toString(),
      comparisons,
      skipped: [...skipped],
      differences: [...differences],
    };
  }

  /** In the health answer, beside the index itself. */
  private async show({ network, audit }: Audited, report: AuditReport): Promise<void> {
    const { height } = report;
    await this.progress.save(
      { network, chain: audit },
      {
        ...verdictOf(report),
        height: height.toString(),
        tip: height.toString(),
        blocksPerSecond: 0,
        secondsLeft: null,
      },
      attemptVersion(),
    );
  }

  private raiseAlarm({ network, audit, title }: Audited, differences: readonly string[]): void {
    this.alarms.countDifferences({ network, audit }, differences.length);
    for (const difference of differences) {
      this.logger.error(`audit of the ${title} of ${network}: ${difference}`);
    }
  }
}

/** An audit that could not compare anything has found nothing out. */
function verdictOf({ comparisons, skipped, differences }: AuditReport) {
  if (differences.length > 0) {
    return {
      state: 'stopped',
      message: `the database differs from the node: ${differences.join('; ')}`,
    } as const;
  }
  if (comparisons === 0) return { state: 'waiting', message: `not done: ${skipped.join('; ')}` } as const;
  return { state: 'running', message: null } as const;
}

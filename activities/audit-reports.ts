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

const NOTHING: AuditReport = {
  height: -1n,
  comparisons: 0,
  skipped: ['nothing is indexed yet, or no node configured'],
  differences: [],
};

/** Reports findings of audits. */
@Injectable()
export class AuditReports {
  private readonly logger = new Logger(AuditReports.name);

  constructor(
    private readonly progress: IndexProgressRepository,
    private readonly alarms: IndexAlarms,
  ) {}

  /** Null where there is nothing to compare, or nothing to compare it with. */
  async publish(audited: Audited, report: AuditReport | null): Promise<AuditResult> {
    const { height, comparisons, skipped, differences, isDone = comparisons > 0 } = report ?? NOTHING;
    if (differences.length > 0) this.raiseAlarm(audited, differences);
    if (isDone || differences.length > 0) await this.show(audited, height, differences);
    else await this.showUndone(audited, skipped);
    return {
      height: height.toString(),
      comparisons,
      skipped: [...skipped],
      differences: [...differences],
    };
  }

  /** In the health answer, beside the index itself. */
  private async show(
    { network, audit }: Audited,
    height: bigint,
    differences: readonly string[],
  ): Promise<void> {
    const isEqual = differences.length === 0;
    await this.progress.save(
      { network, chain: audit },
      {
        state: isEqual ? 'running' : 'stopped',
        message: isEqual ? null : `the database differs from the node: ${differences.join('; ')}`,
        height: height.toString(),
        tip: height.toString(),
        blocksPerSecond: 0,
        secondsLeft: null,
      },
      attemptVersion(),
    );
  }

  /** Nobody should take for right what could not be looked at. */
  private async showUndone({ network, audit }: Audited, skipped: readonly string[]): Promise<void> {
    const message = `not done: ${skipped.length === 0 ? 'there was nothing to compare' : skipped.join('; ')}`;
    await this.progress.saveState({ network, chain: audit }, { state: 'waiting', message }, attemptVersion());
  }

  private raiseAlarm({ network, audit, title }: Audited, differences: readonly string[]): void {
    this.alarms.countDifferences({ network, audit }, differences.length);
    for (const difference of differences) {
      this.logger.error(`audit of the ${title} of ${network}: ${difference}`);
    }
  }
}

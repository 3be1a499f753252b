import { Injectable, Logger } from '@nestjs/common';
import { cancellationSignal, metricMeter } from '@temporalio/activity';
import { Networks } from '../src/networks/networks.module.js';
import { type AuditReport, PChainAuditor } from '../src/p-chain-index/audit/p-chain-auditor.js';
import { IndexProgressRepository } from '../src/indexing/index-progress.repository.js';
import { ValidatorPoller } from '../src/p-chain-index/validator-poller.js';
import type { PChainWatchActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  AuditPChainResult,
  PollValidatorsResult,
  WatchPChainInput,
} from '../workflows/contracts/watch-p-chain.js';
import { asApplicationFailure } from './application-failure.js';
import { attemptVersion } from './attempt-version.js';
import { startHeartbeat } from './start-heartbeat.js';

/** Name under which the health answer shows the last audit. */
const AUDIT = 'p-chain-audit';

@Injectable()
export class PChainWatchActivities implements Contract {
  private readonly logger = new Logger(PChainWatchActivities.name);

  constructor(
    private readonly networks: Networks,
    private readonly poller: ValidatorPoller,
    private readonly auditor: PChainAuditor,
    private readonly progress: IndexProgressRepository,
  ) {}

  @asApplicationFailure()
  async pollValidators({ network }: WatchPChainInput): Promise<PollValidatorsResult> {
    return this.poller.poll(this.networks.byName(network), cancellationSignal());
  }

  @asApplicationFailure()
  async auditPChain({ network }: WatchPChainInput): Promise<AuditPChainResult> {
    const stopHeartbeat = startHeartbeat();
    try {
      const report = await this.auditor.audit(this.networks.byName(network), cancellationSignal());
      if (report === null)
        return { height: '-1', comparisons: 0, skipped: ['nothing is indexed yet'], differences: [] };
      const { comparisons, skipped, differences } = report;
      if (differences.length > 0) this.raiseAlarm(network, differences);
      await this.show(network, report);
      return {
        height: report.height.toString(),
        comparisons,
        skipped: [...skipped],
        differences: [...differences],
      };
    } finally {
      stopHeartbeat();
    }
  }

  /** In the health answer, beside the index itself. */
  private async show(network: string, { height, differences }: AuditReport): Promise<void> {
    const isEqual = differences.length === 0;
    await this.progress.save(
      { network, chain: AUDIT },
      {
        state: isEqual ? 'running' : 'stopped',
        height: height.toString(),
        tip: height.toString(),
        blocksPerSecond: 0,
        secondsLeft: null,
        message: isEqual ? null : `the database differs from the node: ${differences.join('; ')}`,
      },
      attemptVersion(),
    );
  }

  private raiseAlarm(network: string, differences: readonly string[]): void {
    metricMeter
      .createCounter(
        'nds_audit_differences',
        'difference',
        'Values in the database that a node has otherwise',
      )
      .add(differences.length, { network });
    for (const difference of differences) {
      this.logger.error(`audit of the P-chain of ${network}: ${difference}`);
    }
  }
}

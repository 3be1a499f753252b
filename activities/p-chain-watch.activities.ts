import { Injectable } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { Networks } from '../src/platform/networks/networks.module.js';
import { PChainAuditor } from '../src/indexes/p-chain/audit/p-chain-auditor.js';
import { ValidatorPoller } from '../src/indexes/p-chain/validator-poller.js';
import type { PChainWatchActivities as Contract } from '../workflows/contracts/activities.js';
import type { AuditResult, PollValidatorsResult, NetworkInput } from '../workflows/contracts/scheduled.js';
import { asApplicationFailure } from './application-failure.js';
import { AuditReports } from './audit-reports.js';
import { startHeartbeat } from './start-heartbeat.js';

@Injectable()
export class PChainWatchActivities implements Contract {
  constructor(
    private readonly networks: Networks,
    private readonly poller: ValidatorPoller,
    private readonly auditor: PChainAuditor,
    private readonly reports: AuditReports,
  ) {}

  @asApplicationFailure()
  async pollValidators({ network }: NetworkInput): Promise<PollValidatorsResult> {
    return this.poller.poll(this.networks.byName(network), cancellationSignal());
  }

  @asApplicationFailure()
  async auditPChain({ network }: NetworkInput): Promise<AuditResult> {
    const stopHeartbeat = startHeartbeat();
    try {
      const report = await this.auditor.audit(this.networks.byName(network), cancellationSignal());
      return await this.reports.publish({ network, audit: 'p-chain-audit', title: 'P-chain' }, report);
    } finally {
      stopHeartbeat();
    }
  }
}

import { Injectable } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { Networks } from '../src/platform/networks/networks.module.js';
import { XChainAuditor } from '../src/indexes/x-chain/audit/x-chain-auditor.js';
import type { XChainWatchActivities as Contract } from '../workflows/contracts/activities.js';
import type { NetworkInput, AuditResult } from '../workflows/contracts/scheduled.js';
import { asApplicationFailure } from './application-failure.js';
import { AuditReports } from './audit-reports.js';
import { startHeartbeat } from './start-heartbeat.js';

@Injectable()
export class XChainWatchActivities implements Contract {
  constructor(
    private readonly networks: Networks,
    private readonly auditor: XChainAuditor,
    private readonly reports: AuditReports,
  ) {}

  @asApplicationFailure()
  async auditXChain({ network }: NetworkInput): Promise<AuditResult> {
    const stopHeartbeat = startHeartbeat();
    try {
      const report = await this.auditor.audit(this.networks.byName(network), cancellationSignal());
      return await this.reports.publish({ network, audit: 'x-chain-audit', title: 'X-chain' }, report);
    } finally {
      stopHeartbeat();
    }
  }
}

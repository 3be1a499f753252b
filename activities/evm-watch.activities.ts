import { Injectable } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { EvmAuditor } from '../src/indexes/evm/audit/evm-auditor.js';
import type { EvmWatchActivities as Contract } from '../workflows/contracts/activities.js';
import type { NetworkInput, AuditResult } from '../workflows/contracts/scheduled.js';
import { asApplicationFailure } from './application-failure.js';
import { AuditReports } from './audit-reports.js';
import { startHeartbeat } from './start-heartbeat.js';

@Injectable()
export class EvmWatchActivities implements Contract {
  constructor(
    private readonly auditor: EvmAuditor,
    private readonly reports: AuditReports,
  ) {}

  @asApplicationFailure()
  async auditEvmChains({ network }: NetworkInput): Promise<AuditResult> {
    const stopHeartbeat = startHeartbeat();
    try {
      const report = await this.auditor.audit(network, cancellationSignal());
      return await this.reports.publish({ network, audit: 'evm-audit', title: 'EVM chains' }, report);
    } finally {
      stopHeartbeat();
    }
  }
}

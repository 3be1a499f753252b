import { Injectable } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { SupplyAuditor } from '../src/resources/native-supply/supply-auditor.js';
import { SupplyRefresher } from '../src/resources/native-supply/supply-refresher.js';
import { Networks } from '../src/platform/networks/networks.module.js';
import type { NativeSupplyActivities as Contract } from '../workflows/contracts/activities.js';
import type {
  NetworkInput,
  AuditResult,
  RefreshNativeSupplyInput,
  RefreshNativeSupplyResult,
} from '../workflows/contracts/scheduled.js';
import { asApplicationFailure } from './application-failure.js';
import { AuditReports } from './audit-reports.js';
import { startHeartbeat } from './start-heartbeat.js';

@Injectable()
export class NativeSupplyActivities implements Contract {
  constructor(
    private readonly networks: Networks,
    private readonly refresher: SupplyRefresher,
    private readonly auditor: SupplyAuditor,
    private readonly reports: AuditReports,
  ) {}

  @asApplicationFailure()
  async refreshNativeSupply({ network }: RefreshNativeSupplyInput): Promise<RefreshNativeSupplyResult> {
    const { name } = this.networks.byName(network);
    return { problem: await this.refresher.refresh(name, cancellationSignal()) };
  }

  @asApplicationFailure()
  async auditNativeSupply({ network }: NetworkInput): Promise<AuditResult> {
    const stopHeartbeat = startHeartbeat();
    try {
      const { name } = this.networks.byName(network);
      const report = await this.auditor.audit(name, cancellationSignal());
      return await this.reports.publish({ network, audit: 'native-supply-audit', title: 'supply' }, report);
    } finally {
      stopHeartbeat();
    }
  }
}

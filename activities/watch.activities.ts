import { Injectable } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { EvmAuditor } from '../src/indexes/evm/audit/evm-auditor.js';
import { PChainAuditor } from '../src/indexes/p-chain/audit/p-chain-auditor.js';
import { ValidatorPoller } from '../src/indexes/p-chain/validator-poller.js';
import { XChainAuditor } from '../src/indexes/x-chain/audit/x-chain-auditor.js';
import { Networks } from '../src/platform/networks/networks.module.js';
import { SupplyAuditor } from '../src/resources/native-supply/supply-auditor.js';
import type { WatchActivities as Contract } from '../workflows/contracts/activities.js';
import type { AuditResult, NetworkInput, PollValidatorsResult } from '../workflows/contracts/scheduled.js';
import { asApplicationFailure } from './application-failure.js';
import { AuditReports } from './audit-reports.js';
import { withHeartbeat } from './with-heartbeat.js';

@Injectable()
export class WatchActivities implements Contract {
  constructor(
    private readonly networks: Networks,
    private readonly poller: ValidatorPoller,
    private readonly pChain: PChainAuditor,
    private readonly xChain: XChainAuditor,
    private readonly evmChains: EvmAuditor,
    private readonly supply: SupplyAuditor,
    private readonly reports: AuditReports,
  ) {}

  @asApplicationFailure()
  async pollValidators({ network }: NetworkInput): Promise<PollValidatorsResult> {
    return this.poller.poll(this.networks.byName(network), cancellationSignal());
  }

  @asApplicationFailure()
  auditPChain({ network }: NetworkInput): Promise<AuditResult> {
    return withHeartbeat(async (signal) => {
      const report = await this.pChain.audit(this.networks.byName(network), signal);
      return this.reports.publish({ network, audit: 'p-chain-audit', title: 'P-chain' }, report);
    });
  }

  @asApplicationFailure()
  auditXChain({ network }: NetworkInput): Promise<AuditResult> {
    return withHeartbeat(async (signal) => {
      const report = await this.xChain.audit(this.networks.byName(network), signal);
      return this.reports.publish({ network, audit: 'x-chain-audit', title: 'X-chain' }, report);
    });
  }

  @asApplicationFailure()
  auditEvmChains({ network }: NetworkInput): Promise<AuditResult> {
    return withHeartbeat(async (signal) => {
      const report = await this.evmChains.audit(network, signal);
      return this.reports.publish({ network, audit: 'evm-audit', title: 'EVM chains' }, report);
    });
  }

  @asApplicationFailure()
  auditNativeSupply({ network }: NetworkInput): Promise<AuditResult> {
    return withHeartbeat(async (signal) => {
      const { name } = this.networks.byName(network);
      const report = await this.supply.audit(name, signal);
      return this.reports.publish({ network, audit: 'native-supply-audit', title: 'supply' }, report);
    });
  }
}

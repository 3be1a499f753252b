import { proxyActivities } from '@temporalio/workflow';
import type { NativeSupplyActivities } from './contracts/activities.js';
import { type AuditInput, type AuditResult, NATIVE_SUPPLY_DIFFERS } from './contracts/audit.js';
import { failOnDifferences } from './fail-on-differences.js';

const { auditNativeSupply } = proxyActivities<NativeSupplyActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // A node that is away is no difference; the next hour's run asks again.
  retry: { initialInterval: '10 seconds', maximumAttempts: 3 },
});

export async function auditNativeSupplyWorkflow(input: AuditInput): Promise<AuditResult> {
  return failOnDifferences(await auditNativeSupply(input), NATIVE_SUPPLY_DIFFERS);
}

import { proxyActivities } from '@temporalio/workflow';
import type { XChainWatchActivities } from './contracts/activities.js';
import { type AuditInput, type AuditResult, X_CHAIN_DIFFERS } from './contracts/audit.js';
import { failOnDifferences } from './fail-on-differences.js';

const { auditXChain } = proxyActivities<XChainWatchActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // A node that is away is no difference; the next hour's run asks again.
  retry: { initialInterval: '10 seconds', maximumAttempts: 3 },
});

export async function auditXChainWorkflow(input: AuditInput): Promise<AuditResult> {
  return failOnDifferences(await auditXChain(input), X_CHAIN_DIFFERS);
}

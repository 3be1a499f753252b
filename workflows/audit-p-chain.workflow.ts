import { proxyActivities } from '@temporalio/workflow';
import type { PChainWatchActivities } from './contracts/activities.js';
import type { AuditResult } from './contracts/audit.js';
import { P_CHAIN_DIFFERS, type WatchPChainInput } from './contracts/watch-p-chain.js';
import { failOnDifferences } from './fail-on-differences.js';

const { auditPChain } = proxyActivities<PChainWatchActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // A node that is away is no difference; the next hour's run asks again.
  retry: { initialInterval: '10 seconds', maximumAttempts: 3 },
});

export async function auditPChainWorkflow(input: WatchPChainInput): Promise<AuditResult> {
  return failOnDifferences(await auditPChain(input), P_CHAIN_DIFFERS);
}

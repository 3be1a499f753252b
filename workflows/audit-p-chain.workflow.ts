import { ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import type { PChainWatchActivities } from './contracts/activities.js';
import { type AuditPChainResult, P_CHAIN_DIFFERS, type WatchPChainInput } from './contracts/watch-p-chain.js';

const { auditPChain } = proxyActivities<PChainWatchActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // A node that is away is no difference; the next hour's run asks again.
  retry: { initialInterval: '10 seconds', maximumAttempts: 3 },
});

/** Fails when database and node differ, so that the Web UI shows it as what it is: a reason to look. */
export async function auditPChainWorkflow(input: WatchPChainInput): Promise<AuditPChainResult> {
  const result = await auditPChain(input);
  if (result.differences.length === 0) return result;
  throw ApplicationFailure.nonRetryable(
    `the database differs from the node at height ${result.height}: ${result.differences.join('; ')}`,
    P_CHAIN_DIFFERS,
    result,
  );
}

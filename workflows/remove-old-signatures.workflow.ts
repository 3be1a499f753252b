import { proxyActivities } from '@temporalio/workflow';
import type { SignatureAggregationActivities } from './contracts/activities.js';
import type { RemoveOldSignaturesInput } from './contracts/remove-old-signatures.js';

export async function removeOldSignaturesWorkflow(input: RemoveOldSignaturesInput): Promise<void> {
  const activities = proxyActivities<SignatureAggregationActivities>({
    startToCloseTimeout: '10 minutes',
    // The next day's run does the same; there is no need to insist.
    retry: { maximumAttempts: 5 },
  });
  await activities.removeOldSignatures(input);
}

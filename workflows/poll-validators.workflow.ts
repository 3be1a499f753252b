import { proxyActivities } from '@temporalio/workflow';
import type { PChainWatchActivities } from './contracts/activities.js';
import type { PollValidatorsResult, WatchPChainInput } from './contracts/watch-p-chain.js';

const { pollValidators } = proxyActivities<PChainWatchActivities>({
  startToCloseTimeout: '50 seconds',
  // The next minute's run asks again.
  retry: { maximumAttempts: 1 },
});

export async function pollValidatorsWorkflow(input: WatchPChainInput): Promise<PollValidatorsResult> {
  return pollValidators(input);
}

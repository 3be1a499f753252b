import { ActivityCancellationType, continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { PChainIndexActivities } from './contracts/activities.js';
import type { IndexPChainInput } from './contracts/index-p-chain.js';
import { ADVANCE_SLACK_MS, followChain } from './follow-chain.js';

const { recordIndexState, resetPChain } = proxyActivities<PChainIndexActivities>({
  // Emptying tables waits for those who read them.
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Keeps one network's P-chain in the database, for ever. */
export async function indexPChainWorkflow(input: IndexPChainInput): Promise<void> {
  const { network, timeouts, maxHistoryLength, carried } = input;
  const { advancePChain } = proxyActivities<PChainIndexActivities>({
    startToCloseTimeout: timeouts.advanceMs + ADVANCE_SLACK_MS,
    heartbeatTimeout: timeouts.heartbeatMs,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
    // A pause or a reset must not begin while a batch is still being written.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: `P-chain of ${network}`,
  });
  await followChain({
    alarm: { message: 'the index of a P-chain has stopped', facts: { network } },
    resetMessage: 'starting over from the genesis',
    maxHistoryLength,
    carried,
    advance: () => advancePChain({ network, durationMs: timeouts.advanceMs }),
    recordState: (state, message) => recordIndexState({ network, state, message }),
    reset: () => resetPChain({ network }),
    continueAsNew: (progress) => continueAsNew<typeof indexPChainWorkflow>({ ...input, carried: progress }),
  });
}

import { ActivityCancellationType, continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { IndexActivities } from './contracts/activities.js';
import type { IndexChainInput } from './contracts/index-chain.js';
import { followIndex } from './follow-index.js';

const { recordIndexState, resetIndex } = proxyActivities<IndexActivities>({
  // Emptying tables waits for those who read them; an export may do so for minutes.
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** A batch, its transaction, and a node that takes its time, on top of the time that the activity is meant to work. */
const ADVANCE_SLACK_MS = 120_000;

/** Keeps one index of a chain in the database, for ever. */
export async function indexChainWorkflow(input: IndexChainInput): Promise<void> {
  const { network, chain, title, timeouts, maxHistoryLength, carried } = input;
  const { advanceIndex } = proxyActivities<IndexActivities>({
    startToCloseTimeout: timeouts.advanceMs + ADVANCE_SLACK_MS,
    heartbeatTimeout: timeouts.heartbeatMs,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
    // A pause or a reset must not begin while a batch is still being written.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: title,
  });
  await followIndex({
    alarm: { message: 'an index has stopped', facts: { network, chain } },
    maxHistoryLength,
    carried,
    advance: () => advanceIndex({ network, chain, durationMs: timeouts.advanceMs }),
    recordState: (state, message) => recordIndexState({ network, chain, state, message }),
    reset: (part) => resetIndex({ network, chain, ...part }),
    continueAsNew: (progress) => continueAsNew<typeof indexChainWorkflow>({ ...input, carried: progress }),
  });
}

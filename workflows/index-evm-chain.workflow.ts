import { ActivityCancellationType, continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { EvmIndexActivities } from './contracts/activities.js';
import type { IndexEvmChainInput } from './contracts/index-evm-chain.js';
import { ADVANCE_SLACK_MS, followChain } from './follow-chain.js';

const { recordEvmIndexState, resetEvmChain } = proxyActivities<EvmIndexActivities>({
  // Emptying tables waits for those who read them; an export may do so for minutes.
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Keeps one EVM chain in the database, for ever. */
export async function indexEvmChainWorkflow(input: IndexEvmChainInput): Promise<void> {
  const { network, chainId, name, timeouts, maxHistoryLength, carried } = input;
  const { advanceEvmChain } = proxyActivities<EvmIndexActivities>({
    startToCloseTimeout: timeouts.advanceMs + ADVANCE_SLACK_MS,
    heartbeatTimeout: timeouts.heartbeatMs,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
    // A pause or a reset must not begin while a batch is still being written.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: `${name} (EVM chain ${chainId}) of ${network}`,
  });
  await followChain({
    alarm: { message: 'the index of an EVM chain has stopped', facts: { network, chainId } },
    resetMessage: 'starting over',
    maxHistoryLength,
    carried,
    advance: () => advanceEvmChain({ network, chainId, durationMs: timeouts.advanceMs }),
    recordState: (state, message) => recordEvmIndexState({ network, chainId, state, message }),
    reset: () => resetEvmChain({ network, chainId }),
    continueAsNew: (progress) => continueAsNew<typeof indexEvmChainWorkflow>({ ...input, carried: progress }),
  });
}

import {
  ActivityCancellationType,
  makeContinueAsNewFunc,
  patched,
  proxyActivities,
} from '@temporalio/workflow';
import type { IndexActivities } from './contracts/activities.js';
import type {
  FormerIndexActivities,
  FormerIndexEvmChainInput,
  FormerIndexInput,
} from './contracts/former-indexing.js';
import type { IndexChainInput, IndexProgress } from './contracts/index-chain.js';
import { followIndex } from './follow-index.js';
import type { indexChainWorkflow } from './index-chain.workflow.js';

/**
 * The workflows of before there was one for all kinds of chains: they hand themselves over to it as soon as they take up their
 * next turn. What they did before stays here for as long as there may be runs of then.
 */

const ADVANCE_SLACK_MS = 120_000;
const RETRY = { initialInterval: '1 second', maximumInterval: '1 minute' } as const;

export async function indexPChainWorkflow(input: FormerIndexInput): Promise<void> {
  const { network, timeouts, maxHistoryLength, carried } = input;
  const { resetPChain } = proxyActivities<FormerIndexActivities>({
    startToCloseTimeout: '5 minutes',
    retry: RETRY,
  });
  const { recordIndexState } = proxyActivities<IndexActivities>({
    startToCloseTimeout: '5 minutes',
    retry: RETRY,
  });
  const { advancePChain } = advancing(timeouts);
  await followIndex({
    alarm: { message: 'the index of a P-chain has stopped', facts: { network } },
    maxHistoryLength,
    carried,
    isOver: () => patched(HAND_OVER),
    advance: () => advancePChain({ network, durationMs: timeouts.advanceMs }),
    recordState: (state, message) => recordIndexState({ network, state, message }),
    reset: () => resetPChain({ network }),
    continueAsNew: (progress) =>
      handOver({ ...input, chain: 'p-chain', title: `P-chain of ${network}` }, progress),
  });
}

export async function indexEvmChainWorkflow(input: FormerIndexEvmChainInput): Promise<void> {
  const { network, chainId, name, timeouts, maxHistoryLength, carried } = input;
  const { recordEvmIndexState, resetEvmChain } = proxyActivities<FormerIndexActivities>({
    startToCloseTimeout: '10 minutes',
    retry: RETRY,
  });
  const { advanceEvmChain } = advancing(timeouts);
  const title = `${name} (EVM chain ${chainId}) of ${network}`;
  await followIndex({
    alarm: { message: 'the index of an EVM chain has stopped', facts: { network, chainId } },
    maxHistoryLength,
    carried,
    isOver: () => patched(HAND_OVER),
    advance: () => advanceEvmChain({ network, chainId, durationMs: timeouts.advanceMs }),
    recordState: (state, message) => recordEvmIndexState({ network, chainId, state, message }),
    reset: () => resetEvmChain({ network, chainId }),
    continueAsNew: (progress) =>
      handOver({ network, chain: `evm-${chainId}`, title, timeouts, maxHistoryLength }, progress),
  });
}

const HAND_OVER = 'one-workflow-for-all-chains';

function advancing({ advanceMs, heartbeatMs }: FormerIndexInput['timeouts']) {
  return proxyActivities<FormerIndexActivities>({
    startToCloseTimeout: advanceMs + ADVANCE_SLACK_MS,
    heartbeatTimeout: heartbeatMs,
    retry: { ...RETRY, backoffCoefficient: 2 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
}

function handOver(
  { network, chain, title, timeouts, maxHistoryLength }: Omit<IndexChainInput, 'carried'>,
  carried: IndexProgress,
): Promise<never> {
  const proceed = makeContinueAsNewFunc<typeof indexChainWorkflow>({ workflowType: 'indexChainWorkflow' });
  return proceed({ network, chain, title, timeouts, maxHistoryLength, carried });
}

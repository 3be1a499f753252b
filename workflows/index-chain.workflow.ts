import { ActivityCancellationType, continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { IndexActivities } from './contracts/activities.js';
import {
  HISTORY_BUILDERS,
  HISTORY_SUFFIX,
  type IndexChainInput,
  type IndexProgress,
} from './contracts/index-chain.js';
import { followIndex } from './follow-index.js';

const RETRY = { initialInterval: '1 second', maximumInterval: '1 minute' } as const;

const { recordIndexState } = proxyActivities<IndexActivities>({
  startToCloseTimeout: '1 minute',
  retry: RETRY,
});

/** A batch, its transaction, and a node that takes its time, on top of the time that the activity is meant to work. */
const ADVANCE_SLACK_MS = 120_000;

/** An index with nothing to do works for so many turns in one: each costs an activity and a workflow task. */
const QUIET_TURNS = 6;

/** Keeps one index of a chain in the database, for ever. */
export async function indexChainWorkflow(started: IndexChainInput): Promise<void> {
  const { network, chain, title, timeouts, maxHistoryLength, carried } = started;
  const turn = {
    startToCloseTimeout: QUIET_TURNS * timeouts.advanceMs + ADVANCE_SLACK_MS,
    heartbeatTimeout: timeouts.heartbeatMs,
    // A pause or a reset must not begin while a batch is still being written.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: title,
  };
  const { advanceIndex } = proxyActivities<IndexActivities>({
    ...turn,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  });
  // Tens of millions of rows are rewritten, and whoever reads them is waited for.
  const { resetIndex } = proxyActivities<IndexActivities>({
    startToCloseTimeout: '1 day',
    heartbeatTimeout: timeouts.heartbeatMs,
    retry: RETRY,
  });
  // A build that one of them leaves is gone on with in the next turn.
  const { buildHistory } = proxyActivities<IndexActivities>({ ...turn, retry: { maximumAttempts: 1 } });
  await followIndex({
    alarm: { message: 'an index has stopped', facts: { network, chain } },
    maxHistoryLength,
    carried,
    advance: async (last) => {
      const durationMs = timeouts.advanceMs * (isQuiet(last) ? QUIET_TURNS : 1);
      const input = { network, chain, durationMs };
      const builders = isLongHistory(chain, last, timeouts.advanceMs) ? HISTORY_BUILDERS : 0;
      const others = Array.from({ length: builders }, (_, i) => buildHistory({ ...input, builder: i + 1 }));
      const [advanced] = await Promise.allSettled([advanceIndex(input), ...others]);
      if (advanced.status === 'rejected') throw advanced.reason;
      return advanced.value;
    },
    recordState: (state, message) => recordIndexState({ network, chain, state, message }),
    reset: (part) => resetIndex({ network, chain, ...part }),
    continueAsNew: (progress) => continueAsNew<typeof indexChainWorkflow>({ ...started, carried: progress }),
  });
}

function isQuiet({ state, secondsLeft, blocksPerSecond }: IndexProgress): boolean {
  return state === 'running' && secondsLeft === 0 && blocksPerSecond === 0;
}

function isLongHistory(chain: string, { state, secondsLeft }: IndexProgress, turnMs: number): boolean {
  return chain.endsWith(HISTORY_SUFFIX) && state === 'running' && (secondsLeft ?? 0) * 1_000 > turnMs;
}

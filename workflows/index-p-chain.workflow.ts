import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { PChainIndexActivities } from './contracts/activities.js';
import {
  INDEX_PROGRESS_MEMO,
  INDEX_SIGNALS,
  type IndexPChainInput,
  type IndexProgress,
} from './contracts/index-p-chain.js';
import { NDS_INDEX_STATE } from './contracts/search-attributes.js';

/** A batch, its transaction, and a node that takes its time, on top of the time that the activity is meant to work. */
const ADVANCE_SLACK_MS = 120_000;

const { recordIndexState, resetPChain } = proxyActivities<PChainIndexActivities>({
  // Emptying tables waits for those who read them.
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const pauseSignal = defineSignal(INDEX_SIGNALS.pause);
const resumeSignal = defineSignal(INDEX_SIGNALS.resume);
const reindexSignal = defineSignal(INDEX_SIGNALS.reindex);

/**
 * Keeps one network's P-chain in the database, for ever. All progress lies in the database: each turn reads on from its
 * checkpoint, so that nothing is lost or done twice whatever dies in between. What passes by itself (a node or the database
 * away) is retried by Temporal; what does not stops the index visibly until somebody looks: `stopped` is a state and no failed
 * workflow, so that one signal is enough to go on.
 */
export async function indexPChainWorkflow(input: IndexPChainInput): Promise<void> {
  const { network } = input;
  const { advancePChain } = proxyActivities<PChainIndexActivities>({
    startToCloseTimeout: input.timeouts.advanceMs + ADVANCE_SLACK_MS,
    heartbeatTimeout: input.timeouts.heartbeatMs,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
    // A pause or a reset must not begin while a batch is still being written.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: `P-chain of ${network}`,
  });
  let shown = input.carried ?? NOTHING_DONE;
  let { state, message } = shown;
  let isResetWanted = false;
  let advancing: CancellationScope | undefined;

  setHandler(pauseSignal, () => {
    if (state !== 'stopped') state = 'paused';
    advancing?.cancel();
  });
  setHandler(resumeSignal, () => {
    if (state === 'paused' || state === 'stopped') state = 'running';
  });
  setHandler(reindexSignal, () => {
    isResetWanted = true;
    state = 'running';
    advancing?.cancel();
  });
  const isHalted = (): boolean => (state === 'paused' || state === 'stopped') && !isResetWanted;

  /** Undefined when a signal ended it, or when it has to stop. */
  const advance = async (): Promise<IndexProgress | undefined> => {
    try {
      return await CancellationScope.cancellable(() => {
        advancing = CancellationScope.current();
        return advancePChain({ network, durationMs: input.timeouts.advanceMs });
      });
    } catch (error) {
      if (isCancellation(error)) {
        if (CancellationScope.current().consideredCancelled) throw error;
        return undefined;
      }
      state = 'stopped';
      message = describeFailure(error);
      log.error('the index of a P-chain has stopped', { network, reason: message });
      return undefined;
    } finally {
      advancing = undefined;
    }
  };

  const show = (progress: Partial<IndexProgress>): void => {
    shown = { ...shown, ...progress };
    publish(shown);
  };

  publish(shown);
  for (;;) {
    if (isResetWanted) {
      isResetWanted = false;
      await resetPChain({ network });
      show({ ...NOTHING_DONE, message: 'starting over from the genesis' });
    }
    if (isHalted()) {
      if (state === 'paused') message = null;
      const halted = { state, message }; // a signal may change both while it is recorded
      await recordIndexState({ network, ...halted });
      show(halted);
      await condition(() => !isHalted());
      message = null;
      show({ state, message });
      continue;
    }
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if (continueAsNewSuggested || historyLength >= input.maxHistoryLength) {
      await continueAsNew<typeof indexPChainWorkflow>({ ...input, carried: shown });
    }
    const progress = await advance();
    if (progress === undefined || isHalted()) continue;
    state = progress.state;
    show(progress);
  }
}

const NOTHING_DONE: IndexProgress = {
  state: 'running',
  height: null,
  tip: null,
  blocksPerSecond: 0,
  secondsLeft: null,
  message: null,
};

/** To whoever looks at the workflow: in its memo, as search attribute, and in words. */
function publish(progress: IndexProgress): void {
  const { state, height, tip, blocksPerSecond, message } = progress;
  upsertMemo({ [INDEX_PROGRESS_MEMO]: progress });
  upsertSearchAttributes([{ key: NDS_INDEX_STATE, value: state }]);
  const line = `**${state}**: height ${height ?? 'none'} of ${tip ?? 'unknown'}, ${blocksPerSecond} blocks/s`;
  setCurrentDetails(message === null ? line : `${line}\n\n${message}`);
}

function describeFailure(error: unknown): string {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  if (failure instanceof ApplicationFailure) return `${failure.type ?? 'failure'}: ${failure.message}`;
  return failure instanceof Error ? failure.message : 'unknown failure';
}

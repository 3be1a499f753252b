import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import {
  INDEX_PROGRESS_MEMO,
  INDEX_SIGNALS,
  type IndexProgress,
  type IndexState,
  type ReindexPart,
} from './contracts/index-chain.js';
import { NDS_INDEX_STATE } from './contracts/search-attributes.js';

const pauseSignal = defineSignal(INDEX_SIGNALS.pause);
const resumeSignal = defineSignal(INDEX_SIGNALS.resume);
const reindexSignal = defineSignal<[ReindexPart?]>(INDEX_SIGNALS.reindex);

/** Values that differ from one index to the next. */
export interface FollowedIndex {
  /** The log's line when it has to stop, and what to find it by. */
  readonly alarm: { readonly message: string; readonly facts: Readonly<Record<string, string>> };
  readonly maxHistoryLength: number;
  /** Where an earlier run was when it continued as this one. */
  readonly carried: IndexProgress | undefined;
  /** `last` is what the turn before has come to. */
  advance(last: IndexProgress): Promise<IndexProgress>;
  recordState(state: IndexState, message: string | null): Promise<void>;
  reset(part: ReindexPart): Promise<void>;
  /** Never comes back. */
  continueAsNew(carried: IndexProgress): Promise<unknown>;
}

/**
 * Keeps one index in the database, for ever. All progress lies in the database: each turn reads on from its checkpoint, so
 * that nothing is lost or done twice whatever dies in between. What passes by itself (a node or the database away) is retried
 * by Temporal; what does not stops the index visibly until somebody looks: `stopped` is a state and no failed workflow, so
 * that one signal is enough to go on.
 */
export async function followIndex(index: FollowedIndex): Promise<never> {
  let shown = index.carried ?? NOTHING_DONE;
  let { state, message } = shown;
  const resets: ReindexPart[] = [];
  let advancing: CancellationScope | undefined;

  setHandler(pauseSignal, () => {
    if (state !== 'stopped') state = 'paused';
    advancing?.cancel();
  });
  setHandler(resumeSignal, () => {
    if (state === 'paused' || state === 'stopped') state = 'running';
  });
  setHandler(reindexSignal, (part = {}) => {
    // Asked for twice before it began, it is done once.
    if (!resets.some((known) => isSamePart(known, part))) resets.push(part);
    state = 'running';
    advancing?.cancel();
  });
  const isHalted = (): boolean => (state === 'paused' || state === 'stopped') && resets.length === 0;

  /** Undefined when a signal ended it, or when it has to stop. */
  const advance = async (): Promise<IndexProgress | undefined> => {
    try {
      return await CancellationScope.cancellable(() => {
        advancing = CancellationScope.current();
        return index.advance(shown);
      });
    } catch (error) {
      if (isCancellation(error)) {
        if (CancellationScope.current().consideredCancelled) throw error;
        return undefined;
      }
      // Temporal retries nothing that it should end: an attempt whose worker died just then fails instead of being cancelled.
      if (advancing?.consideredCancelled === true) return undefined;
      state = 'stopped';
      message = describeFailure(error);
      log.error(index.alarm.message, { ...index.alarm.facts, reason: message });
      return undefined;
    } finally {
      advancing = undefined;
    }
  };

  const show = (progress: Partial<IndexProgress>): void => {
    shown = { ...shown, ...progress };
    publish(shown);
  };

  /** A part that there is not is the operator's slip: it is reported, and nothing is forgotten. */
  const reset = async (part: ReindexPart): Promise<void> => {
    try {
      await index.reset(part);
      show({ ...NOTHING_DONE, message: 'starting over' });
    } catch (error) {
      if (isCancellation(error)) throw error;
      show({ message: describeFailure(error) });
    }
  };

  publish(shown);
  for (;;) {
    for (let part = resets.shift(); part !== undefined; part = resets.shift()) await reset(part);
    if (isHalted()) {
      if (state === 'paused') message = null;
      const halted = { state, message }; // a signal may change both while it is recorded
      await index.recordState(state, message);
      show(halted);
      await condition(() => !isHalted());
      message = null;
      show({ state, message });
      continue;
    }
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if (continueAsNewSuggested || historyLength >= index.maxHistoryLength) await index.continueAsNew(shown);
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

function isSamePart(a: ReindexPart, b: ReindexPart): boolean {
  return a.facet === b.facet && a.from === b.from && a.to === b.to;
}

function describeFailure(error: unknown): string {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  if (failure instanceof ApplicationFailure) return `${failure.type ?? 'failure'}: ${failure.message}`;
  return failure instanceof Error ? failure.message : 'unknown failure';
}

import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  log,
  makeContinueAsNewFunc,
  proxyActivities,
  setCurrentDetails,
  sleep,
  TemporalFailure,
  TimeoutFailure,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { TransactionExportActivities } from './contracts/activities.js';
import {
  type ExportProgress,
  type ExportTransactionsInput,
  OPERATION_MEMO,
  OPERATION_TYPE_MEMO,
  type OperationCode,
  type OperationState,
  REQUEST_DIGEST_MEMO,
} from './contracts/export-transactions.js';
import { NDS_OPERATION_STATUS } from './contracts/search-attributes.js';

/** Time that a turn may take beyond its working time: its last query, and a slow storage. */
const TURN_SLACK_MS = 300_000;

/** Failures that pass by themselves, such as a node, the database or the storage being away, are waited for. */
const PATIENT_RETRY = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '1 minute',
} as const;

/** More notes than a reader takes in are counted. */
const MAX_NOTES = 20;

/**
 * Makes the file of an export, turn by turn. All progress is on record outside of the workflow, so that each turn goes on where
 * the last one ended, whatever died in between. The operation's state is the workflow's memo while it lasts, and a row for ever:
 * the row first, so that nobody who has seen the end of an operation ever sees it running again.
 */
export async function exportTransactionsWorkflow(input: ExportTransactionsInput): Promise<OperationState> {
  const operation = new Operation(input);
  try {
    await operation.begin();
    return await endWithFile(operation, await exportAll(operation));
  } catch (error) {
    // Anything else is no end: the next run that it continues as, or a defect that a repaired worker takes up again.
    if (!(error instanceof TemporalFailure)) throw error;
    const kept = await keepWholeDays(operation, error);
    const isCancelled = isCancelRequested();
    const failure = isCancelled ? CANCELLED : failureOf(error);
    if (kept !== null && !isCancelled) return await endWithFile(operation, kept, failure.message);
    log.error('an export has failed', { operationId: input.operationId, reason: failure.message, error });
    await CancellationScope.nonCancellable(() => operation.fail(failure));
    const { code: type, message } = failure;
    if (isCancelled) throw new CancelledFailure(message, [], error);
    throw ApplicationFailure.create({ type, message, nonRetryable: true, cause: error });
  }
}

/** A cancellation that comes while the end is recorded is heeded as one that comes after it: the file goes. */
async function endWithFile(
  operation: Operation,
  progress: ExportProgress,
  reason?: string,
): Promise<OperationState> {
  const state = await CancellationScope.nonCancellable(() => operation.complete(progress, reason));
  if (isCancelRequested()) await CancellationScope.nonCancellable(() => operation.removeFiles());
  return state;
}

/** Of an export that waiting longer does not help; null when there are none. */
async function keepWholeDays(operation: Operation, error: TemporalFailure): Promise<ExportProgress | null> {
  if (isCancelRequested() || !(isGivenUp(error) || typeOf(error) === STATE_UNAVAILABLE)) return null;
  return CancellationScope.nonCancellable(() => operation.keepWholeDays());
}

function isCancelRequested(): boolean {
  return CancellationScope.current().consideredCancelled;
}

/** Turn by turn to the end, in as many runs as it takes. */
async function exportAll(operation: Operation): Promise<ExportProgress> {
  for (;;) {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if (continueAsNewSuggested || historyLength >= operation.input.maxHistoryLength) {
      await continueFrom(operation);
    }
    const progress = await operation.advance();
    if (progress.state !== 'more') return progress;
  }
}

/** With its memo: by itself the next run would show the one that the first run began with. */
function continueFrom({ input, state }: Operation): Promise<never> {
  const memo = {
    [OPERATION_MEMO]: state,
    [OPERATION_TYPE_MEMO]: input.request.type,
    [REQUEST_DIGEST_MEMO]: input.requestDigest,
  };
  return makeContinueAsNewFunc<typeof exportTransactionsWorkflow>({ memo })({ ...input, state });
}

class Operation {
  state: OperationState;

  constructor(readonly input: ExportTransactionsInput) {
    this.state = input.state;
  }

  async begin(): Promise<void> {
    publish(this.state);
    if (workflowInfo().continuedFromExecutionRunId !== undefined) return;
    await this.record({ scheduleToCloseTimeout: this.millisecondsLeft() });
  }

  async advance(): Promise<ExportProgress> {
    const { operationId, request, limits, timeouts } = this.input;
    const { exportTransactions } = proxyActivities<TransactionExportActivities>({
      startToCloseTimeout: timeouts.turnMs + TURN_SLACK_MS,
      scheduleToCloseTimeout: this.millisecondsLeft(),
      heartbeatTimeout: timeouts.heartbeatMs,
      retry: PATIENT_RETRY,
      // Files must not be removed while they are still being written.
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      summary: `after ${this.state.rows} rows`,
    });
    const progress = await exportTransactions({
      operationId,
      request,
      limits,
      durationMs: timeouts.turnMs,
    });
    const { rows, bytes, percentage } = progress;
    this.change({
      rows,
      bytes,
      percentage,
      message: describeProgress(progress, this.secondsLeft(percentage)),
    });
    if (progress.state === 'more') publish(this.state);
    return progress;
  }

  /** Null when there are none, or when they cannot be kept. */
  async keepWholeDays(): Promise<ExportProgress | null> {
    const { keepWholeDays } = proxyActivities<TransactionExportActivities>({
      startToCloseTimeout: '5 minutes',
      // Leaves time for the final record, within that of the workflow.
      scheduleToCloseTimeout: '20 minutes',
      retry: PATIENT_RETRY,
    });
    const { operationId, request } = this.input;
    try {
      return await keepWholeDays({ operationId, request });
    } catch (error) {
      log.warn('the whole days of an export are not kept', { operationId, error });
      return null;
    }
  }

  async complete(progress: ExportProgress, reason?: string): Promise<OperationState> {
    const { rows, bytes, nextDate } = progress;
    const isTruncated = progress.state === 'truncated';
    const now = this.now();
    this.change({
      status: isTruncated || progress.hasGaps === true ? 'COMPLETED_WITH_WARNING' : 'COMPLETED',
      code: isTruncated ? 'WarnTruncatedExport' : null,
      message: describeEnd(progress, reason),
      rows,
      bytes,
      nextDate,
      updatedAt: now,
      expiresAt: now + this.input.retentionSeconds,
    });
    await this.record();
    publish(this.state);
    return this.state;
  }

  async fail({ code, message }: Failure): Promise<void> {
    this.change({ status: 'FAILED', code, message });
    await this.record();
    publish(this.state);
    await this.removeFiles();
  }

  private change(change: Partial<OperationState>): void {
    this.state = { ...this.state, updatedAt: this.now(), ...change };
  }

  private async record(options: { scheduleToCloseTimeout?: number } = {}): Promise<void> {
    const { operationId, requestDigest, request } = this.input;
    const { recordOperation } = proxyActivities<TransactionExportActivities>({
      startToCloseTimeout: '30 seconds',
      retry: PATIENT_RETRY,
      summary: this.state.status,
      ...options,
    });
    await recordOperation({
      operationId,
      type: request.type,
      requestDigest,
      request,
      state: this.state,
    });
  }

  /** Files that cannot be removed now are removed by the schedule. */
  async removeFiles(): Promise<void> {
    const { removeExport } = proxyActivities<TransactionExportActivities>({
      startToCloseTimeout: '10 minutes',
      retry: { ...PATIENT_RETRY, maximumAttempts: 3 },
    });
    const { operationId, timeouts } = this.input;
    // An attempt that counts as dead may still be writing; it learns of its end with its next heartbeat.
    await sleep(timeouts.heartbeatMs);
    try {
      await removeExport({ operationId });
    } catch (error) {
      log.warn('the files of a failed export are left for the schedule', { operationId, error });
    }
  }

  /** UNIX seconds, never before what is on record: the API's clock may be ahead. */
  private now(): number {
    return Math.max(Math.floor(Date.now() / 1000), this.state.updatedAt);
  }

  /** As if the rest took as long as the part that is done; null while that is too little to judge by. */
  private secondsLeft(percentage: number): number | null {
    if (percentage < 1) return null;
    return Math.round(((this.now() - this.state.createdAt) * (100 - percentage)) / percentage);
  }

  private millisecondsLeft(): number {
    const left = this.state.createdAt * 1000 + this.input.timeouts.giveUpMs - Date.now();
    if (left > 0) return left;
    throw ApplicationFailure.nonRetryable('no time left', GIVEN_UP);
  }
}

/** To whoever looks at the workflow: in its memo, as search attribute, and in words. */
function publish(state: OperationState): void {
  upsertMemo({ [OPERATION_MEMO]: state });
  const shown = workflowInfo().typedSearchAttributes.get(NDS_OPERATION_STATUS);
  if (shown !== state.status) upsertSearchAttributes([{ key: NDS_OPERATION_STATUS, value: state.status }]);
  setCurrentDetails(`**${state.status}**: ${state.message}`);
}

function describeProgress(
  { rows, percentage, day, chainId }: ExportProgress,
  secondsLeft: number | null,
): string {
  const place = chainId === null || day === null ? '' : `, at chain ${chainId} and day ${day}`;
  const left = secondsLeft === null ? '' : `, about ${describeDuration(secondsLeft)} left`;
  return `${countRows(rows)} so far, ${percentage} % done${place}${left}`;
}

function describeDuration(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function describeEnd({ rows, nextDate, notes }: ExportProgress, reason: string | undefined): string {
  const shown = [...(reason === undefined ? [] : [reason]), ...notes.slice(0, MAX_NOTES)];
  if (notes.length > MAX_NOTES) shown.push(`and ${notes.length - MAX_NOTES} more notes`);
  const rest = nextDate === null ? [] : [`continue with firstDate ${nextDate}`];
  return [countRows(rows), ...rest, ...shown].join('; ');
}

function countRows(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}

interface Failure {
  code: OperationCode;
  message: string;
}

const GIVEN_UP = 'GIVEN_UP';
/** Of an activity: no node has what the export needs, and waiting would not help. */
const STATE_UNAVAILABLE = 'STATE_UNAVAILABLE';

const CANCELLED: Failure = { code: 'ErrInternal', message: 'the export was cancelled' };

/** The message for the caller. Texts of errors are for operators: they name hosts, files and statements. */
function failureOf(error: TemporalFailure): Failure {
  const type = typeOf(error);
  if (type === 'CHAIN_NOT_CONFIGURED') {
    return { code: 'ErrInvalidRequest', message: 'a chain of the export is no longer configured' };
  }
  if (type === STATE_UNAVAILABLE) {
    return {
      code: 'ErrInternal',
      message: 'a chain is not indexed on these days, and none of its nodes has the states of their blocks',
    };
  }
  const end = isGivenUp(error) ? 'did not end in time' : 'has failed';
  return { code: 'ErrInternal', message: `the export ${end}${isCode(type) ? ` (${type})` : ''}` };
}

/** Whether it was waited for as long as exports may take; the last attempt may have failed with a reason of its own. */
function isGivenUp(error: TemporalFailure): boolean {
  if (typeOf(error) === GIVEN_UP) return true;
  if (!(error instanceof ActivityFailure)) return false;
  return error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure;
}

function typeOf(error: TemporalFailure): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure) return cause.type ?? undefined;
  }
  return undefined;
}

/** Other failures are of class names, which mean nothing to a caller. */
function isCode(type: string | undefined): type is string {
  return type !== undefined && type !== GIVEN_UP && /^[A-Z][A-Z0-9_]*$/.test(type);
}

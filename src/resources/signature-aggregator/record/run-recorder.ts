import { AsyncLocalStorage } from 'node:async_hooks';
import { WorkflowNotFoundError, type WorkflowStartOptions } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import {
  AGGREGATE_SIGNATURES_QUEUE,
  type AggregateSignaturesInput,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import {
  AGGREGATE_TOO,
  makeAggregationRunWorkflowId,
} from '../../../../workflows/contracts/aggregation-run.js';
import { NDS_NETWORK, NDS_SOURCE_BLOCKCHAIN_ID } from '../../../../workflows/contracts/search-attributes.js';
import { type OpenRun, type OpenRuns, sizeOf } from './open-runs.js';

/** Of the inputs in one call; Temporal warns above 512 KiB. */
const MAX_CALL_BYTES = 256 * 1024;

/** What a recorder needs of Temporal. */
export interface RunCalls {
  start(
    workflowType: 'aggregationRunWorkflow',
    options: WorkflowStartOptions & { args: [AggregateSignaturesInput[]] },
  ): Promise<unknown>;
  /** Rejects with WorkflowNotFoundError when the workflow has ended. */
  signal(workflowId: string, name: string, inputs: AggregateSignaturesInput[]): Promise<void>;
}

interface Waiting {
  input: AggregateSignaturesInput;
  /** Calls as the request that waits: its id in the log, and its trace. */
  as<T>(call: () => T): T;
  resolve(workflowId: string): void;
  reject(error: unknown): void;
}

/**
 * Makes the requests of one network durable, one call to Temporal after the other: what comes while a call is under way goes out
 * together with the next. So an idle service records a request at once, and a busy one many with one call.
 */
export class RunRecorder {
  private readonly waiting: Waiting[] = [];
  private isRecording = false;
  private run: OpenRun | undefined;

  constructor(
    private readonly temporal: RunCalls,
    private readonly runs: OpenRuns,
  ) {}

  /** The id of the workflow that has the request. Throws ApiError(503) when Temporal is away. */
  record(input: AggregateSignaturesInput): Promise<string> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ input, resolve, reject, as: AsyncLocalStorage.snapshot() });
      if (!this.isRecording) void this.recordAll();
    });
  }

  private async recordAll(): Promise<void> {
    this.isRecording = true;
    while (this.waiting.length > 0) {
      const batch = this.takeBatch();
      try {
        const [first] = batch;
        // The call belongs to the request that has waited longest.
        const record = () => this.recordBatch(batch.map(({ input }) => input));
        const workflowId = await (first === undefined ? record() : first.as(record));
        for (const waiting of batch) waiting.resolve(workflowId);
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.isRecording = false;
  }

  private takeBatch(): Waiting[] {
    let bytes = 0;
    const end = this.waiting.findIndex(({ input }) => (bytes += sizeOf(input)) > MAX_CALL_BYTES);
    return this.waiting.splice(0, end < 0 ? this.waiting.length : Math.max(end, 1));
  }

  private async recordBatch(inputs: AggregateSignaturesInput[]): Promise<string> {
    const { run } = this;
    if (run?.admit(inputs) === true && (await this.add(run, inputs))) return run.workflowId;
    return this.start(inputs);
  }

  private async start(inputs: AggregateSignaturesInput[]): Promise<string> {
    const workflowId = makeAggregationRunWorkflowId(inputs);
    const run = this.runs.open(workflowId, inputs);
    try {
      await this.startWorkflow(workflowId, inputs);
      this.run = run;
      return workflowId;
    } catch (error) {
      this.runs.close(run);
      throw error;
    }
  }

  private async startWorkflow(workflowId: string, inputs: AggregateSignaturesInput[]): Promise<void> {
    const [first] = inputs;
    if (first === undefined) return;
    await this.temporal.start('aggregationRunWorkflow', {
      workflowId,
      taskQueue: AGGREGATE_SIGNATURES_QUEUE,
      args: [inputs],
      // One that died with another process is joined; one that has ended is over, and its results are stored.
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `${first.network}, from ${first.sourceBlockchainId.slice(0, 12)}…`,
      ...(first.requestId === undefined ? {} : { memo: { requestId: first.requestId } }),
      typedSearchAttributes: new TypedSearchAttributes([
        { key: NDS_NETWORK, value: first.network },
        { key: NDS_SOURCE_BLOCKCHAIN_ID, value: first.sourceBlockchainId },
      ]),
    });
  }

  /** False when the run has ended meanwhile. */
  private async add(run: OpenRun, inputs: AggregateSignaturesInput[]): Promise<boolean> {
    try {
      await this.temporal.signal(run.workflowId, AGGREGATE_TOO, inputs);
      return true;
    } catch (error) {
      this.runs.close(run);
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }
}

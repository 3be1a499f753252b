import { Inject, Injectable, Optional } from '@nestjs/common';
import { WorkflowNotFoundError, type WorkflowStartOptions } from '@temporalio/client';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  AGGREGATE_SIGNATURES_QUEUE,
  type AggregateSignaturesInput,
  optionsOf,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import { ADD_REQUESTS, type AggregationRunInput } from '../../../../workflows/contracts/aggregation-run.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { TemporalClient } from '../../../platform/temporal/temporal.module.js';
import { BatchedCalls } from '../batched-calls.js';
import { type OpenRun, OpenRuns, sizeOf } from './open-runs.js';

/** Of the inputs in one call; Temporal warns above 512 KiB. */
const MAX_CALL_BYTES = 256 * 1024;

/** The part of Temporal that a recorder needs. */
export interface RunCalls {
  start(
    workflowType: 'aggregationRunWorkflow',
    options: WorkflowStartOptions & { args: [AggregationRunInput] },
  ): Promise<{ eagerlyStarted: boolean }>;
  /** Rejects with WorkflowNotFoundError when the workflow has ended. */
  signal(workflowId: string, name: string, inputs: AggregateSignaturesInput[]): Promise<void>;
}

interface Recording {
  readonly input: AggregateSignaturesInput;
  /** Calls as the request that waits: its id in the log, and its trace. */
  as<T>(call: () => T): T;
}

/**
 * Makes requests durable: each is in the history of a run, by its own bytes, before `record` resolves. Requests that arrive during
 * a call to Temporal go out with the next one. A run that this process collects for takes further requests while it is open; any
 * other is one call's, since its requests would wait for each other.
 */
@Injectable()
export class RunRecorder {
  /** By network, place and priority: what nobody waits for holds up no run of a caller. */
  private readonly calls = new Map<string, BatchedCalls<Recording, string>>();
  /** The runs that were started last, by network. */
  private readonly runs = new Map<string, OpenRun>();
  private readonly queuedStarts;

  constructor(
    @Inject(TemporalClient) private readonly temporal: RunCalls,
    metrics: Metrics,
    @Optional() private readonly openRuns?: OpenRuns,
  ) {
    this.queuedStarts = metrics.counter({
      name: 'nds_aggregation_runs_queued_total',
      help: 'Runs of a collecting process whose first task went through the task queue: their start was not eager',
      labels: ['network'],
    });
  }

  /** The workflow id of the run that has the request. Throws ApiError(503) when Temporal is away. */
  record(
    input: AggregateSignaturesInput,
    { isCollectedHere }: { isCollectedHere: boolean },
  ): Promise<string> {
    const key = `${input.network} ${isCollectedHere} ${input.priorityKey ?? ''}`;
    let calls = this.calls.get(key);
    if (calls === undefined) {
      const open = isCollectedHere ? this.openRuns : undefined;
      calls = new BatchedCalls((batch) => this.recordBatch(batch, open), countThatFit);
      this.calls.set(key, calls);
    }
    return calls.add({ input, as: AsyncLocalStorage.snapshot() });
  }

  private recordBatch(batch: readonly Recording[], open: OpenRuns | undefined): Promise<string> {
    const [first] = batch;
    if (first === undefined) throw new RangeError('no requests');
    const inputs = batch.map(({ input }) => input);
    // The call belongs to the request that has waited longest.
    return first.as(async () => {
      if (open === undefined) return this.start(first.input, { requests: inputs });
      return (await this.addToRun(inputs, open)) ?? this.openRun(first.input, inputs, open);
    });
  }

  /** Undefined when no run can take them. */
  private async addToRun(inputs: AggregateSignaturesInput[], open: OpenRuns): Promise<string | undefined> {
    const run = this.runs.get(inputs[0]?.network ?? '');
    if (run?.admit(inputs) !== true) return undefined;
    try {
      await this.temporal.signal(run.workflowId, ADD_REQUESTS, inputs);
      return run.workflowId;
    } catch (error) {
      open.close(run);
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  private async openRun(
    first: AggregateSignaturesInput,
    requests: AggregateSignaturesInput[],
    open: OpenRuns,
  ): Promise<string> {
    const run = open.open(makeRunId(first), requests);
    try {
      await this.start(first, { requests, collectorQueue: open.queue }, run.workflowId);
      this.runs.set(first.network, run);
      return run.workflowId;
    } catch (error) {
      open.close(run);
      throw error;
    }
  }

  private async start(
    first: AggregateSignaturesInput,
    input: AggregationRunInput,
    workflowId = makeRunId(first),
  ): Promise<string> {
    const { eagerlyStarted } = await this.temporal.start('aggregationRunWorkflow', {
      workflowId,
      taskQueue: AGGREGATE_SIGNATURES_QUEUE,
      args: [input],
      workflowIdConflictPolicy: 'FAIL',
      ...optionsOf(first),
    });
    if (input.collectorQueue !== undefined && !eagerlyStarted) {
      this.queuedStarts.inc({ network: first.network });
    }
    return workflowId;
  }
}

/** No two calls share one: a run has only requests that were sent to it. */
function makeRunId({ network }: AggregateSignaturesInput): string {
  return `aggregation-run:${network}:${randomUUID()}`;
}

function countThatFit(waiting: readonly Recording[]): number {
  let bytes = 0;
  const end = waiting.findIndex(({ input }) => (bytes += sizeOf(input)) > MAX_CALL_BYTES);
  return end < 0 ? waiting.length : end;
}

import { Injectable, Logger, Optional } from '@nestjs/common';
import { WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { aggregationRunWorkflow } from '../../workflows/aggregation-run.workflow.js';
import {
  AGGREGATE_SIGNATURES_QUEUE,
  type AggregateSignaturesInput,
} from '../../workflows/contracts/aggregate-signatures.js';
import { AGGREGATE_TOO, makeAggregationRunWorkflowId } from '../../workflows/contracts/aggregation-run.js';
import { NDS_NETWORK, NDS_SOURCE_BLOCKCHAIN_ID } from '../../workflows/contracts/search-attributes.js';
import type { ValidatorSetAtHeight } from '../networks/network.js';
import { ServedQueues } from '../temporal/served-queues.js';
import { TemporalClient } from '../temporal/temporal.module.js';
import { type OpenRun, OpenRuns } from './open-runs.js';
import { type CollectionOutcome, RunningCollections } from './running-collections.js';

/**
 * Aggregations that this very process answers: it asks the validators while Temporal records the request. Only where it has
 * connections to them, and a worker that finds the result.
 */
@Injectable()
export class AggregationRuns {
  private readonly logger = new Logger(AggregationRuns.name);
  /** By network, the run that takes further requests. */
  private readonly latest = new Map<string, OpenRun>();

  constructor(
    private readonly temporal: TemporalClient,
    private readonly queues: ServedQueues,
    @Optional() private readonly collections?: RunningCollections,
    @Optional() private readonly runs?: OpenRuns,
  ) {}

  get isPossible(): boolean {
    return this.queues.includes(AGGREGATE_SIGNATURES_QUEUE) && this.temporal.hasWorker;
  }

  /**
   * What came of a first attempt at the request, once Temporal has recorded it too: whatever happens to this process
   * afterwards, the request is finished. Throws ApiError(503) when Temporal is away.
   */
  async aggregate(input: AggregateSignaturesInput, at: ValidatorSetAtHeight): Promise<CollectionOutcome> {
    const { collections, runs } = this;
    if (collections === undefined || runs === undefined) throw new Error('no worker in this process');
    const collecting = collections.join(input, at);
    const [outcome, workflowId] = await Promise.all([collecting, this.record(runs, input)]);
    this.logger.debug({ requestId: input.requestId, workflowId, status: outcome.status }, 'aggregated');
    return outcome;
  }

  /** The id of the workflow that has the request. */
  private async record(runs: OpenRuns, input: AggregateSignaturesInput): Promise<string> {
    const bytes = input.message.length + input.justification.length;
    const run = this.latest.get(input.network);
    if (run?.admit(bytes) === true && (await this.add(runs, run, input))) return run.workflowId;
    return this.start(runs, input, bytes);
  }

  private async start(runs: OpenRuns, input: AggregateSignaturesInput, bytes: number): Promise<string> {
    const workflowId = makeAggregationRunWorkflowId(input);
    const run = runs.open(workflowId);
    run.admit(bytes);
    run.started = this.startWorkflow(workflowId, input);
    this.latest.set(input.network, run);
    try {
      await run.started;
    } catch (error) {
      runs.close(run);
      throw error;
    }
    return workflowId;
  }

  private async startWorkflow(workflowId: string, input: AggregateSignaturesInput): Promise<void> {
    await this.temporal.start<typeof aggregationRunWorkflow>('aggregationRunWorkflow', {
      workflowId,
      taskQueue: AGGREGATE_SIGNATURES_QUEUE,
      args: [input],
      // One that died with another process is joined; one that has ended is over, and its results are stored.
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `${input.network}, from ${input.sourceBlockchainId.slice(0, 12)}…`,
      ...(input.requestId === undefined ? {} : { memo: { requestId: input.requestId } }),
      typedSearchAttributes: new TypedSearchAttributes([
        { key: NDS_NETWORK, value: input.network },
        { key: NDS_SOURCE_BLOCKCHAIN_ID, value: input.sourceBlockchainId },
      ]),
    });
  }

  /** False when the run has ended meanwhile. */
  private async add(runs: OpenRuns, run: OpenRun, input: AggregateSignaturesInput): Promise<boolean> {
    try {
      await run.started;
      await this.temporal.signal(run.workflowId, AGGREGATE_TOO, input);
      return true;
    } catch (error) {
      runs.close(run);
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }
}

import { Injectable, Logger, Optional } from '@nestjs/common';
import {
  AGGREGATE_SIGNATURES_QUEUE,
  type AggregateSignaturesInput,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import type { ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { ServedQueues } from '../../../platform/temporal/served-queues.js';
import { TemporalClient } from '../../../platform/temporal/temporal.module.js';
import { OpenRuns } from './open-runs.js';
import { RunRecorder } from './run-recorder.js';
import { type CollectionOutcome, RunningCollections } from '../collect/running-collections.js';

/**
 * Aggregations that this very process answers: it asks the validators while Temporal records the request. Only where it has
 * connections to them, and a worker that finds the result.
 */
@Injectable()
export class AggregationRuns {
  private readonly logger = new Logger(AggregationRuns.name);
  private readonly recorders = new Map<string, RunRecorder>();

  constructor(
    private readonly temporal: TemporalClient,
    private readonly queues: ServedQueues,
    @Optional() private readonly collections?: RunningCollections,
    @Optional() private readonly runs?: OpenRuns,
  ) {}

  get isPossible(): boolean {
    return this.queues.includes(AGGREGATE_SIGNATURES_QUEUE) && this.temporal.hasWorker;
  }

  /** Asks the validators before it is known whether that is needed. */
  begin(input: AggregateSignaturesInput, at: ValidatorSetAtHeight): void {
    void this.collections?.join(input, at);
  }

  /** It was not. */
  forget(input: AggregateSignaturesInput): void {
    this.collections?.release(input);
  }

  /**
   * What came of a first attempt at the request, once Temporal has recorded it too: whatever happens to this process
   * afterwards, the request is finished. Throws ApiError(503) when Temporal is away.
   */
  async aggregate(input: AggregateSignaturesInput, at: ValidatorSetAtHeight): Promise<CollectionOutcome> {
    const { collections, runs } = this;
    if (collections === undefined || runs === undefined) throw new Error('no worker in this process');
    const recording = this.recorderOf(input.network, runs).record(input);
    const [outcome, workflowId] = await Promise.all([collections.join(input, at), recording]);
    const { requestId } = input;
    this.logger.log({ requestId, workflowId, status: outcome.status }, 'first attempt');
    return outcome;
  }

  private recorderOf(network: string, runs: OpenRuns): RunRecorder {
    const known = this.recorders.get(network);
    if (known !== undefined) return known;
    const recorder = new RunRecorder(this.temporal, runs);
    this.recorders.set(network, recorder);
    return recorder;
  }
}

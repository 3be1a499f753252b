import { Injectable, Logger } from '@nestjs/common';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import { ApplicationFailure, TypedSearchAttributes } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Config } from '../../../platform/config/config.module.js';
import { ApiError } from '../../../platform/http/errors/api-error.js';
import { statusOfFailure } from '../../../platform/http/errors/status-of-code.js';
import { TemporalClient } from '../../../platform/temporal/temporal.module.js';
import {
  AGGREGATE_SIGNATURES_QUEUE,
  type AggregateSignaturesInput,
  makeAggregateSignaturesWorkflowId,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import {
  NDS_NETWORK,
  NDS_QUORUM_PERCENTAGE,
  NDS_SOURCE_BLOCKCHAIN_ID,
} from '../../../../workflows/contracts/search-attributes.js';
import type { aggregateSignaturesWorkflow } from '../../../../workflows/aggregate-signatures.workflow.js';

type Handle = WorkflowHandle<typeof aggregateSignaturesWorkflow>;

/** Time beyond the collecting itself: resolving the set, a worker that dies and is replaced, storing. */
const WAIT_SLACK_MS = 20_000;
/** Before Temporal is asked for the result. */
const RESULT_DELAY_MS = 250;

/** Starts or joins the workflow of a request and waits for its result. */
@Injectable()
export class AggregationWorkflowClient {
  private readonly logger = new Logger(AggregationWorkflowClient.name);

  constructor(
    private readonly config: Config,
    private readonly temporal: TemporalClient,
  ) {}

  /**
   * The signed message of the request's workflow. Stops waiting once `signal` is aborted; the workflow continues.
   * @param findStored asked only when an equal request has just finished: what it has stored, if that still counts.
   */
  async run(
    input: AggregateSignaturesInput,
    signal: AbortSignal,
    findStored: () => Promise<string | undefined>,
  ): Promise<string> {
    let handle = await this.start(input, 'ALLOW_DUPLICATE_FAILED_ONLY');
    if (handle === undefined) {
      const stored = await findStored();
      if (stored !== undefined) return stored;
      handle = await this.start(input, 'ALLOW_DUPLICATE');
    }
    // Mostly the stored result is heard of first, and then asking Temporal for it would be in vain.
    await delay(RESULT_DELAY_MS, undefined, { signal });
    return this.result(handle ?? this.handleOf(input), signal);
  }

  private async result(handle: Handle, signal: AbortSignal): Promise<string> {
    const waitMs = this.config.env.AGGREGATION_TIMEOUT_MS + WAIT_SLACK_MS;
    try {
      return (await this.temporal.wait(waitMs, signal, () => handle.result())).signedMessage;
    } catch (error) {
      if (error instanceof WorkflowFailedError) throw this.toApiError(error, handle.workflowId);
      throw error;
    }
  }

  /** Starts the request's workflow or joins it; undefined when it has ended and may not be started again. */
  private async start(
    input: AggregateSignaturesInput,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY' | 'ALLOW_DUPLICATE',
  ): Promise<Handle | undefined> {
    try {
      const { firstExecutionRunId } = await this.temporal.start<typeof aggregateSignaturesWorkflow>(
        'aggregateSignaturesWorkflow',
        {
          workflowId: makeAggregateSignaturesWorkflowId(input),
          taskQueue: AGGREGATE_SIGNATURES_QUEUE,
          args: [input],
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy,
          staticSummary: summaryOf(input),
          ...(input.requestId === undefined ? {} : { memo: { requestId: input.requestId } }),
          typedSearchAttributes: new TypedSearchAttributes([
            { key: NDS_NETWORK, value: input.network },
            { key: NDS_SOURCE_BLOCKCHAIN_ID, value: input.sourceBlockchainId },
            { key: NDS_QUORUM_PERCENTAGE, value: input.quorumPercentage },
          ]),
        },
      );
      return this.handleOf(input, firstExecutionRunId);
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
      throw error;
    }
  }

  /** Waiting goes through the API's own connection, whose calls can be given up. */
  private handleOf(input: AggregateSignaturesInput, runId?: string): Handle {
    return this.temporal.client.workflow.getHandle<typeof aggregateSignaturesWorkflow>(
      makeAggregateSignaturesWorkflowId(input),
      runId,
    );
  }

  private toApiError(error: WorkflowFailedError, workflowId: string): ApiError {
    const failure = applicationFailureOf(error);
    if (failure === undefined) {
      this.logger.error({ err: error, workflowId }, 'aggregation ended without a reason of its own');
      return new ApiError(503, `the aggregation was ended (workflow ${workflowId}); try again`, {
        cause: error,
      });
    }
    return new ApiError(statusOfFailure(failure.type), failure.message, { cause: error });
  }
}

function summaryOf(input: AggregateSignaturesInput): string {
  const height = input.pChainHeight === '0' ? 'proposed height' : `height ${input.pChainHeight}`;
  const quorum = `${input.quorumPercentage} % + ${input.quorumPercentageBuffer} %`;
  return `${input.network}, from ${input.sourceBlockchainId.slice(0, 12)}…, ${quorum}, ${height}`;
}

/** The innermost failure that our own code raised. */
function applicationFailureOf(error: unknown): ApplicationFailure | undefined {
  let failure: ApplicationFailure | undefined;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure) failure ??= cause;
  }
  return failure;
}

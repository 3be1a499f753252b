import { Injectable, Logger } from '@nestjs/common';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import { ApplicationFailure, TypedSearchAttributes } from '@temporalio/common';
import { Config } from '../config/config.module.js';
import { ApiError } from '../http/api-error.js';
import { TemporalClient } from '../temporal/temporal.module.js';
import {
  AGGREGATE_SIGNATURES_QUEUE,
  type AggregateSignaturesInput,
  type AggregateSignaturesResult,
  makeAggregateSignaturesWorkflowId,
} from '../../workflows/contracts/aggregate-signatures.js';
import {
  NDS_NETWORK,
  NDS_QUORUM_PERCENTAGE,
  NDS_SOURCE_BLOCKCHAIN_ID,
} from '../../workflows/contracts/search-attributes.js';
import type { aggregateSignaturesWorkflow } from '../../workflows/aggregate-signatures.workflow.js';

type Handle = WorkflowHandle<typeof aggregateSignaturesWorkflow>;
type Start = { handle: Handle } | { closed: Handle };

/** Time beyond the collecting itself: resolving the set, a worker that dies and is replaced, storing. */
const WAIT_SLACK_MS = 20_000;

/** Starts or joins the workflow of a request and waits for its result. */
@Injectable()
export class AggregationWorkflowClient {
  private readonly logger = new Logger(AggregationWorkflowClient.name);

  constructor(
    private readonly config: Config,
    private readonly temporal: TemporalClient,
  ) {}

  /**
   * @param currentSetDigest digest of the validator set now, asked only when an equal request has just finished: its result is
   *   the answer while the set is unchanged.
   */
  async run(
    input: AggregateSignaturesInput,
    currentSetDigest: () => Promise<string>,
  ): Promise<AggregateSignaturesResult> {
    const started = await this.start(input, 'ALLOW_DUPLICATE_FAILED_ONLY');
    if ('handle' in started) return this.result(started.handle);
    const earlier = await this.result(started.closed);
    if (earlier.validatorSetDigest === (await currentSetDigest())) return earlier;
    const again = await this.start(input, 'ALLOW_DUPLICATE');
    return this.result('handle' in again ? again.handle : again.closed);
  }

  private async start(
    input: AggregateSignaturesInput,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY' | 'ALLOW_DUPLICATE',
  ): Promise<Start> {
    const workflowId = makeAggregateSignaturesWorkflowId(input);
    try {
      const handle = await this.temporal.start<typeof aggregateSignaturesWorkflow>(
        'aggregateSignaturesWorkflow',
        {
          workflowId,
          taskQueue: AGGREGATE_SIGNATURES_QUEUE,
          args: [input],
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy,
          workflowExecutionTimeout: '10 minutes',
          staticSummary: summaryOf(input),
          memo: {
            network: input.network,
            quorum: `${input.quorumPercentage} + ${input.quorumPercentageBuffer}`,
          },
          typedSearchAttributes: new TypedSearchAttributes([
            { key: NDS_NETWORK, value: input.network },
            { key: NDS_SOURCE_BLOCKCHAIN_ID, value: input.sourceBlockchainId },
            { key: NDS_QUORUM_PERCENTAGE, value: input.quorumPercentage },
          ]),
        },
      );
      // Waiting goes through the API's own connection, whose calls can be given up.
      const { client } = this.temporal;
      return {
        handle: client.workflow.getHandle<typeof aggregateSignaturesWorkflow>(
          workflowId,
          handle.firstExecutionRunId,
        ),
      };
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return {
        closed: this.temporal.client.workflow.getHandle<typeof aggregateSignaturesWorkflow>(workflowId),
      };
    }
  }

  private async result(handle: Handle): Promise<AggregateSignaturesResult> {
    const waitMs = this.config.env.AGGREGATION_TIMEOUT_MS + WAIT_SLACK_MS;
    try {
      return await this.temporal.wait(waitMs, () => handle.result());
    } catch (error) {
      if (error instanceof WorkflowFailedError) throw this.toApiError(error, handle.workflowId);
      throw error;
    }
  }

  private toApiError(error: WorkflowFailedError, workflowId: string): ApiError {
    const failure = applicationFailureOf(error);
    if (failure === undefined) {
      this.logger.error({ err: error, workflowId }, 'aggregation ended without a reason of its own');
      return new ApiError(503, `the aggregation was ended (workflow ${workflowId}); try again`, {
        cause: error,
      });
    }
    return new ApiError(statusOf(failure.type ?? ''), failure.message, { cause: error });
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

function statusOf(failureType: string): 400 | 502 | 503 {
  switch (failureType) {
    case 'UNKNOWN_BLOCKCHAIN':
    case 'UNKNOWN_SUBNET':
    case 'HEIGHT_IN_FUTURE':
    case 'HEIGHT_NOT_AVAILABLE':
    case 'EMPTY_VALIDATOR_SET':
      return 400;
    case 'NODE_BAD_RESPONSE':
    case 'NODE_REJECTED':
      return 502;
    default:
      return 503;
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { aggregateSignaturesWorkflow } from '../../../../workflows/aggregate-signatures.workflow.js';
import type { aggregationRunWorkflow } from '../../../../workflows/aggregation-run.workflow.js';
import {
  type AggregateSignaturesInput,
  makeAggregateSignaturesWorkflowId,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import type { AggregationRunResult } from '../../../../workflows/contracts/aggregation-run.js';
import { Config } from '../../../platform/config/config.module.js';
import { ApiError } from '../../../platform/http/errors/api-error.js';
import { TemporalClient } from '../../../platform/temporal/temporal.module.js';
import { FailedAggregation } from './failed-aggregation.js';
import { SignatureRepository } from '../store/signature.repository.js';

/** Time beyond the collecting itself: resolving the set, a worker that dies and is replaced, storing. */
const WAIT_SLACK_MS = 20_000;
/** Before Temporal is asked: mostly the result is stored earlier, and the API is notified of it. */
const RESULT_DELAY_MS = 250;

/** Waits for the results of recorded requests as Temporal has them: failures, and all results while Postgres is away. */
@Injectable()
export class RunResults {
  private readonly logger = new Logger(RunResults.name);

  constructor(
    private readonly config: Config,
    private readonly temporal: TemporalClient,
    private readonly repository: SignatureRepository,
  ) {}

  /** Hex of the signed message. Stops waiting once `signal` is aborted; the workflows continue. Throws ApiError. */
  async of(runId: string, input: AggregateSignaturesInput, signal: AbortSignal): Promise<string> {
    await delay(RESULT_DELAY_MS, undefined, { signal });
    // Of equal requests in a run only the last one still waits.
    const outcome = (await this.ofRun(runId, signal)).outcomes.findLast(
      ({ requestDigest }) => requestDigest === input.requestDigest,
    );
    switch (outcome?.status) {
      case 'failed':
        throw new FailedAggregation(outcome.type, outcome.message);
      case 'unsaved':
        return outcome.save.collected.signedMessage;
      case 'unfinished':
        return this.ofOwnWorkflow(makeAggregateSignaturesWorkflowId(input), signal);
      case 'signed':
      case 'stored':
      case undefined: {
        const signed = outcome?.status === 'signed' ? outcome.signedMessage : undefined;
        const message = signed ?? (await this.repository.findLatest(input));
        if (message !== undefined) return message;
        throw endedWithout(runId);
      }
    }
  }

  private async ofRun(workflowId: string, signal: AbortSignal): Promise<AggregationRunResult> {
    const run = this.temporal.client.workflow.getHandle<typeof aggregationRunWorkflow>(workflowId);
    try {
      return await this.wait(signal, () => run.result());
    } catch (error) {
      const [result] = failureOf(error)?.details ?? [];
      if (isRunResult(result)) return result;
      throw this.toApiError(error, workflowId);
    }
  }

  private async ofOwnWorkflow(workflowId: string, signal: AbortSignal): Promise<string> {
    const own = this.temporal.client.workflow.getHandle<typeof aggregateSignaturesWorkflow>(workflowId);
    try {
      return (await this.wait(signal, () => own.result())).signedMessage;
    } catch (error) {
      throw this.toApiError(error, workflowId);
    }
  }

  private wait<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    const waitMs = this.config.env.AGGREGATION_TIMEOUT_MS + WAIT_SLACK_MS;
    return this.temporal.wait(waitMs, signal, request);
  }

  private toApiError(error: unknown, workflowId: string): unknown {
    if (!(error instanceof WorkflowFailedError)) return error;
    const failure = failureOf(error);
    if (failure !== undefined) {
      return new FailedAggregation(failure.type ?? '', failure.message, { cause: error });
    }
    this.logger.error({ err: error, workflowId }, 'aggregation ended without a reason of its own');
    return endedWithout(workflowId, error);
  }
}

function endedWithout(workflowId: string, cause?: unknown): ApiError {
  return new ApiError(503, `the aggregation was ended (workflow ${workflowId}); try again`, { cause });
}

/** The outermost failure that our own code raised. */
function failureOf(error: unknown): ApplicationFailure | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure) return cause;
  }
  return undefined;
}

/** The detail in the failure of a run of which all requests failed. */
function isRunResult(detail: unknown): detail is AggregationRunResult {
  return (
    typeof detail === 'object' && detail !== null && 'outcomes' in detail && Array.isArray(detail.outcomes)
  );
}

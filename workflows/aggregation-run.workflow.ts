import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  condition,
  defineSignal,
  log,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { aggregateSignaturesWorkflow } from './aggregate-signatures.workflow.js';
import type { SignatureAggregationActivities } from './contracts/activities.js';
import {
  type AggregateSignaturesInput,
  optionsOf,
  makeAggregateSignaturesWorkflowId,
  type SignedMessage,
} from './contracts/aggregate-signatures.js';
import {
  ADD_REQUESTS,
  type AggregatedRequests,
  type AggregateRequestsInput,
  type AggregationRunInput,
  type AggregationRunResult,
  outcomeOf,
  type RequestOutcome,
} from './contracts/aggregation-run.js';

/** A local activity runs inside the workflow task, so it must stay well below that task's timeout of 10 s. */
const SLACK_MS = 3_000;
/** A process that does not take its activity by then is taken for dead. */
const COLLECTOR_TIMEOUT = '2 seconds';
/** A request that was announced and does not come was never sent. */
const ANNOUNCED_REQUEST_TIMEOUT = '5 seconds';

const addRequestsSignal = defineSignal<[AggregateSignaturesInput[]]>(ADD_REQUESTS);

/**
 * Records requests and what became of them. Where the process that started the run collects by itself, the activity finds the
 * outcomes in its memory; otherwise, and once that process is gone, the activity collects. A request that is not finished within
 * the short budget, or could not be stored, continues as a workflow of its own, so that it delays no other.
 */
export async function aggregationRunWorkflow({
  requests: first,
  collectorQueue,
}: AggregationRunInput): Promise<AggregationRunResult> {
  const place = new Place(collectorQueue);
  const waiting = [...first];
  const outcomes: RequestOutcome[] = [];
  setHandler(addRequestsSignal, (more) => {
    waiting.push(...more);
  });
  let isMoreComing = false;
  do {
    const requests = waiting.splice(0);
    const aggregated = await place.aggregate(requests);
    await Promise.all(aggregated.outcomes.map((outcome) => handOver(outcome, requests)));
    outcomes.push(...aggregated.outcomes);
    setCurrentDetails(describe(outcomes));
    isMoreComing =
      waiting.length > 0 ||
      (aggregated.isMoreComing && (await condition(() => waiting.length > 0, ANNOUNCED_REQUEST_TIMEOUT)));
  } while (isMoreComing);
  throwIfAllFailed(outcomes);
  return { outcomes };
}

/** Where the run's requests are collected. */
class Place {
  /** Whether the run's workflow tasks go to another process than the one that collects: its start was not eager. */
  private isElsewhere = false;

  constructor(private collectorQueue: string | undefined) {}

  async aggregate(requests: AggregateSignaturesInput[]): Promise<NonNullable<AggregatedRequests>> {
    const budgetMs = Math.max(...requests.map(({ timeouts }) => timeouts.firstAttemptMs));
    const { workflowId: runId } = workflowInfo();
    const input = { runId, requests };
    return (
      (await this.inThisProcess(input, budgetMs)) ??
      (await this.atCollector(input, budgetMs)) ??
      (await this.inThisProcess(input, budgetMs)) ??
      allUnfinished(requests)
    );
  }

  private async inThisProcess(input: AggregateRequestsInput, budgetMs: number): Promise<AggregatedRequests> {
    if (this.isElsewhere) return null;
    const { aggregateRequests } = proxyLocalActivities<SignatureAggregationActivities>({
      startToCloseTimeout: budgetMs + SLACK_MS,
      retry: { maximumAttempts: 1 },
    });
    const { collectorQueue } = this;
    const place = collectorQueue === undefined ? {} : { collectorQueue };
    try {
      const aggregated = await aggregateRequests({ ...input, ...place });
      this.isElsewhere = aggregated === null;
      return aggregated;
    } catch (error) {
      log.warn('the short attempt failed', { error });
      return allUnfinished(input.requests);
    }
  }

  private async atCollector(input: AggregateRequestsInput, budgetMs: number): Promise<AggregatedRequests> {
    const { collectorQueue: taskQueue } = this;
    if (taskQueue === undefined) return null;
    const { aggregateRequests } = proxyActivities<SignatureAggregationActivities>({
      taskQueue,
      scheduleToStartTimeout: COLLECTOR_TIMEOUT,
      startToCloseTimeout: budgetMs + SLACK_MS,
      heartbeatTimeout: Math.max(...input.requests.map(({ timeouts }) => timeouts.heartbeatMs)),
      retry: { maximumAttempts: 1 },
      summary: 'the process that collects',
    });
    try {
      return await aggregateRequests({ ...input, collectorQueue: taskQueue });
    } catch (error) {
      log.warn('the process that collects is gone', { error });
      this.collectorQueue = undefined;
      this.isElsewhere = false;
      return null;
    }
  }
}

function allUnfinished(requests: readonly AggregateSignaturesInput[]): NonNullable<AggregatedRequests> {
  return {
    outcomes: requests.map((request) => outcomeOf(request, { status: 'unfinished' })),
    isMoreComing: false,
  };
}

async function handOver(
  outcome: RequestOutcome,
  requests: readonly AggregateSignaturesInput[],
): Promise<void> {
  const request = requests.find(({ requestDigest }) => requestDigest === outcome.requestDigest);
  if (request === undefined) return;
  if (outcome.status === 'unfinished') await continueAlone(request);
  if (outcome.status === 'unsaved') await continueAlone(request, outcome.save);
}

/** An equal request of another run may have got there before. */
async function continueAlone(input: AggregateSignaturesInput, signed?: SignedMessage): Promise<void> {
  try {
    await startChild(aggregateSignaturesWorkflow, {
      workflowId: makeAggregateSignaturesWorkflowId(input),
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      parentClosePolicy: ParentClosePolicy.ABANDON,
      args: signed === undefined ? [input] : [input, signed],
      ...optionsOf(input),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

function describe(outcomes: readonly RequestOutcome[]): string {
  const lines = outcomes.map((outcome) => {
    const what = outcome.status === 'signed' ? `**${outcome.signedPercentage} %** signed` : outcome.status;
    return `- \`${outcome.requestDigest.slice(0, 16)}…\` ${what}, request id ${outcome.requestId ?? 'unknown'}`;
  });
  return lines.join('\n');
}

/** A run of one request shows its failure as any workflow does. */
function throwIfAllFailed(outcomes: readonly RequestOutcome[]): void {
  const [first] = outcomes;
  if (first?.status !== 'failed' || !outcomes.every(({ status }) => status === 'failed')) return;
  throw ApplicationFailure.nonRetryable(first.message, first.type, { outcomes });
}

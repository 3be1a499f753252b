import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  condition,
  defineSignal,
  log,
  ParentClosePolicy,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  startChild,
} from '@temporalio/workflow';
import { aggregateSignaturesWorkflow } from './aggregate-signatures.workflow.js';
import type { SignatureAggregationActivities } from './contracts/activities.js';
import {
  type AggregateSignaturesInput,
  makeAggregateSignaturesWorkflowId,
} from './contracts/aggregate-signatures.js';
import {
  AGGREGATE_TOO,
  type AggregatedRequests,
  type AggregationRunResult,
  makeAggregationRunWorkflowId,
  type RequestOutcome,
} from './contracts/aggregation-run.js';
import { storeSignedMessage } from './store-signed-message.js';

/** A local activity runs inside the workflow task, so it must stay well below that task's timeout of 10 s. */
const LOCAL_SLACK_MS = 2_500;
/** A request that was announced and does not come was never sent. */
const ANNOUNCED_REQUEST_TIMEOUT = '5 seconds';

const aggregateTooSignal = defineSignal<[AggregateSignaturesInput[]]>(AGGREGATE_TOO);

/**
 * Records requests that the process which took them answers by itself: it collects while this is being started or signalled, and
 * the local activity here finds the results. Where that process is gone, the activity collects. What does not come within the
 * short budget goes on as a workflow of its own.
 */
export async function aggregationRunWorkflow(
  first: AggregateSignaturesInput[],
): Promise<AggregationRunResult> {
  const runId = makeAggregationRunWorkflowId(first);
  const waiting = [...first];
  const outcomes: RequestOutcome[] = [];
  setHandler(aggregateTooSignal, (more) => {
    waiting.push(...more);
  });
  let isMoreComing = false;
  do {
    const requests = waiting.splice(0);
    const aggregated = await aggregate(runId, requests);
    await Promise.all(aggregated.outcomes.map((outcome) => finish(outcome, requests)));
    outcomes.push(...aggregated.outcomes);
    setCurrentDetails(describe(outcomes));
    isMoreComing =
      waiting.length > 0 ||
      (aggregated.isMoreComing && (await condition(() => waiting.length > 0, ANNOUNCED_REQUEST_TIMEOUT)));
  } while (isMoreComing);
  throwIfAllFailed(outcomes);
  return { outcomes };
}

async function aggregate(runId: string, requests: AggregateSignaturesInput[]): Promise<AggregatedRequests> {
  const budgetMs = Math.max(...requests.map(({ timeouts }) => timeouts.fastPathMs));
  const local = proxyLocalActivities<SignatureAggregationActivities>({
    startToCloseTimeout: budgetMs + LOCAL_SLACK_MS,
    retry: { maximumAttempts: 1 },
  });
  try {
    return await local.aggregateRequests({ runId, requests });
  } catch (error) {
    log.warn('the fast path failed', { error });
    const outcomes = requests.map(({ requestDigest }) => ({ requestDigest, status: 'unfinished' }) as const);
    return { outcomes, isMoreComing: false };
  }
}

async function finish(outcome: RequestOutcome, requests: readonly AggregateSignaturesInput[]): Promise<void> {
  switch (outcome.status) {
    case 'signed':
    case 'stored':
    case 'failed':
      return;
    case 'unsaved':
      return storeSignedMessage(outcome.save);
    case 'unfinished': {
      const request = requests.find(({ requestDigest }) => requestDigest === outcome.requestDigest);
      if (request !== undefined) await handOver(request);
    }
  }
}

/** The process that took the request does the same, and one of the two is first. */
async function handOver(input: AggregateSignaturesInput): Promise<void> {
  try {
    await startChild(aggregateSignaturesWorkflow, {
      workflowId: makeAggregateSignaturesWorkflowId(input),
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      parentClosePolicy: ParentClosePolicy.ABANDON,
      args: [{ ...input, isFastPathOver: true }],
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

import type { AggregateSignaturesInput, SaveAggregatedSignatureInput } from './aggregate-signatures.js';

/**
 * A run records the requests that one process answers at about the same time. They are durable and visible in it before they are
 * answered; what the process leaves behind when it dies, any worker of the queue finishes.
 */

/** Signal: more requests. */
export const AGGREGATE_TOO = 'aggregateToo';

/** What became of one request. */
export type RequestOutcome = { requestDigest: string; requestId?: string } & (
  | { status: 'signed'; signingSubnetId: string; signers: number; signedPercentage: number }
  /** The process that took it had stored it before it died. */
  | { status: 'stored' }
  /** Signed, but Postgres was away: the run stores it later. */
  | { status: 'unsaved'; save: SaveAggregatedSignatureInput }
  /** More time is needed: a workflow of its own goes on with it. */
  | { status: 'unfinished' }
  /** `type` is one of FINAL_AGGREGATION_FAILURES. */
  | { status: 'failed'; type: string; message: string }
);

export interface AggregatedRequests {
  outcomes: RequestOutcome[];
  /** Whether further requests have been sent to the run that it does not know yet. */
  isMoreComing: boolean;
}

export interface AggregateRequestsInput {
  runId: string;
  requests: AggregateSignaturesInput[];
}

export interface AggregationRunResult {
  outcomes: RequestOutcome[];
}

/** Derived from its first request, so that a repetition of that request, also after a crash, joins the run. */
export function makeAggregationRunWorkflowId([first]: readonly AggregateSignaturesInput[]): string {
  return `aggregation-run:${first?.network}:${first?.requestDigest.slice(0, 40)}`;
}

import type { AggregateSignaturesInput, SaveAggregatedSignatureInput } from './aggregate-signatures.js';

/**
 * A run records requests that reach one process at about the same time. They are in its history before they are answered; what a
 * process leaves behind when it dies, any worker of the queue finishes.
 */
export interface AggregationRunInput {
  requests: AggregateSignaturesInput[];
  /** Task queue of the process that collects the signatures of this run's requests. Left out: any worker may. */
  collectorQueue?: string;
}

/** Signal: more requests. */
export const ADD_REQUESTS = 'addRequests';

/** Outcome of one request. */
export type RequestOutcome = { requestDigest: string; requestId?: string } & Outcome;

/** As an outcome of this request. */
export function outcomeOf(
  { requestDigest, requestId }: AggregateSignaturesInput,
  outcome: Outcome,
): RequestOutcome {
  return { requestDigest, ...(requestId === undefined ? {} : { requestId }), ...outcome };
}

export type Outcome =
  /** `signedMessage` only where another process waits for it. */
  | {
      status: 'signed';
      signingSubnetId: string;
      signers: number;
      signedPercentage: number;
      signedMessage?: string;
    }
  /** Found in Postgres. */
  | { status: 'stored' }
  /** Signed while Postgres was away: a workflow of its own stores it. */
  | { status: 'unsaved'; save: SaveAggregatedSignatureInput }
  /** More time is needed: a workflow of its own continues. */
  | { status: 'unfinished' }
  /** `type` is one of FINAL_AGGREGATION_FAILURES. */
  | { status: 'failed'; type: string; message: string };

export interface AggregateRequestsInput extends AggregationRunInput {
  /** The run's workflow id. */
  runId: string;
}

/** Null: another process is collecting these requests. */
export type AggregatedRequests = {
  outcomes: RequestOutcome[];
  /** Whether further requests have been sent to the run that have not reached it yet. */
  isMoreComing: boolean;
} | null;

export interface AggregationRunResult {
  outcomes: RequestOutcome[];
}

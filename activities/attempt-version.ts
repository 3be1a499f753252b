import { activityInfo } from '@temporalio/activity';

/** Rises from one activity of a workflow to the next, and from attempt to attempt, by the Temporal server's clock. */
export function attemptVersion(): bigint {
  return BigInt(activityInfo().currentAttemptScheduledTimestampMs) * 1000n;
}

import { proxyActivities, sleep } from '@temporalio/workflow';
import type { NativeSupplyActivities } from './contracts/activities.js';
import type { RefreshNativeSupplyInput, RefreshNativeSupplyResult } from './contracts/native-supply.js';

const { refreshNativeSupply } = proxyActivities<NativeSupplyActivities>({
  startToCloseTimeout: '4 minutes',
  // The next run of the schedule asks again.
  retry: { maximumAttempts: 1 },
});

/** Ends before the schedule wants to begin anew. */
const MAX_TRIES = 10;

/** An index may be at its tip a moment later: nobody should have to wait for the schedule then. */
export async function refreshNativeSupplyWorkflow({
  againAfterMs,
  ...input
}: RefreshNativeSupplyInput): Promise<RefreshNativeSupplyResult> {
  for (let tries = 1; ; tries++) {
    const result = await refreshNativeSupply(input);
    if (result.problem === null || againAfterMs === undefined || tries === MAX_TRIES) return result;
    await sleep(againAfterMs);
  }
}

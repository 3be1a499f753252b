import { proxyActivities } from '@temporalio/workflow';
import type { NativeSupplyActivities } from './contracts/activities.js';
import type { RefreshNativeSupplyInput, RefreshNativeSupplyResult } from './contracts/native-supply.js';

const { refreshNativeSupply } = proxyActivities<NativeSupplyActivities>({
  startToCloseTimeout: '4 minutes',
  // The next run of the schedule asks again.
  retry: { maximumAttempts: 1 },
});

export async function refreshNativeSupplyWorkflow(
  input: RefreshNativeSupplyInput,
): Promise<RefreshNativeSupplyResult> {
  return refreshNativeSupply(input);
}

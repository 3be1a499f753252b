import { proxyActivities } from '@temporalio/workflow';
import type { ApiUsageActivities } from './contracts/activities.js';
import type { RollUpApiUsageInput } from './contracts/roll-up-api-usage.js';

const { rollUpApiUsage } = proxyActivities<ApiUsageActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '30 seconds',
  // The next run does the same; there is no need to insist.
  retry: { maximumAttempts: 3 },
});

export async function rollUpApiUsageWorkflow(input: RollUpApiUsageInput): Promise<void> {
  await rollUpApiUsage(input);
}

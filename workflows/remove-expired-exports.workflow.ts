import { proxyActivities } from '@temporalio/workflow';
import type { TransactionExportActivities } from './contracts/activities.js';
import type { RemoveExpiredExportsInput } from './contracts/export-transactions.js';

const { removeExpiredExports } = proxyActivities<TransactionExportActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/** Removes the files of exports whose time is over. */
export async function removeExpiredExportsWorkflow(input: RemoveExpiredExportsInput): Promise<void> {
  await removeExpiredExports(input);
}

import { proxyActivities } from '@temporalio/workflow';
import type { TransactionExportActivities } from './contracts/activities.js';
import type { ExportTransactionsInput } from './contracts/export-transactions.js';

const { removeExport } = proxyActivities<TransactionExportActivities>({ startToCloseTimeout: '1 minute' });

export async function exportTransactionsWorkflow({ operationId }: ExportTransactionsInput): Promise<void> {
  await removeExport({ operationId });
}

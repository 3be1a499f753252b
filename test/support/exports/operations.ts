import { z } from 'zod';
import type { ApiAnswer, TestService } from '../harness/service.js';
import { eventually } from '../harness/eventually.js';

const OperationSchema = z.strictObject({
  operationId: z.uuid(),
  operationType: z.enum(['TRANSACTION_EXPORT_EVM', 'TRANSACTION_EXPORT_PRIMARY_NETWORK']),
  operationStatus: z.enum(['RUNNING', 'COMPLETED', 'COMPLETED_WITH_WARNING', 'FAILED']),
  message: z.string(),
  metadata: z.strictObject({
    code: z.string().optional(),
    downloadUrl: z.url().optional(),
    proofUrl: z.url().optional(),
    nextDate: z.string().optional(),
  }),
  createdAtTimestamp: z.number().int(),
  updatedAtTimestamp: z.number().int(),
});
export type OperationRecord = z.infer<typeof OperationSchema>;

export interface RequestedExport {
  addresses: readonly string[];
  chainIds: readonly bigint[];
  firstDate?: string;
  lastDate?: string;
}

/** The record that a new export is answered with. */
export async function startExport(
  service: TestService,
  { addresses, chainIds, ...dates }: RequestedExport,
  headers: Record<string, string> = {},
): Promise<OperationRecord> {
  const body = {
    type: 'TRANSACTION_EXPORT_EVM',
    ...dates,
    options: { addresses, includeChains: chainIds.map(String) },
  };
  return readOperation(
    await service.post('/v1/operations/transactions:export', JSON.stringify(body), headers),
    201,
  );
}

export async function startLedger(
  service: TestService,
  { addresses, ...dates }: Omit<RequestedExport, 'chainIds'>,
  headers: Record<string, string> = {},
): Promise<OperationRecord> {
  const options = { network: 'fuji', addresses };
  const body = { type: 'TRANSACTION_EXPORT_PRIMARY_NETWORK', ...dates, options };
  return readOperation(
    await service.post('/v1/operations/ledger:export', JSON.stringify(body), headers),
    201,
  );
}

export async function getOperation(service: TestService, operationId: string): Promise<OperationRecord> {
  return readOperation(await service.request(`/v1/operations/${operationId}`), 200);
}

/** Asks until the operation is no longer running; an API that cannot answer meanwhile is asked again. */
export async function endOfOperation(service: TestService, operationId: string): Promise<OperationRecord> {
  let last: ApiAnswer | undefined;
  await eventually(`the end of operation ${operationId}`, async () => {
    last = await service.request(`/v1/operations/${operationId}`);
    return last.status === 200 && readOperation(last, 200).operationStatus !== 'RUNNING';
  });
  if (last === undefined) throw new Error('never asked');
  return readOperation(last, 200);
}

export async function download({ metadata }: OperationRecord): Promise<string> {
  if (metadata.downloadUrl === undefined) throw new Error('there is no file');
  const response = await fetch(metadata.downloadUrl);
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return response.text();
}

function readOperation(answer: ApiAnswer, status: number): OperationRecord {
  if (answer.status !== status) {
    throw new Error(`HTTP ${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`);
  }
  return OperationSchema.parse(answer.body);
}

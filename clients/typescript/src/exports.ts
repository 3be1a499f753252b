import { retryAfterOf } from './http.js';
import type { OperationResponse } from './schema.js';

export interface FinishedExport {
  readonly operationId: string;
  /** Of the CSV file, until it expires. Whoever has it can read the file. */
  readonly downloadUrl: string;
  /** Of the file's proof; a ledger has none. */
  readonly proofUrl: string | undefined;
  /** The first day that is missing from the file or may be incomplete: `firstDate` of the next export. */
  readonly nextDate: string | undefined;
  readonly operation: OperationResponse;
}

/** The export has ended without a file, or the file is there no longer. */
export class ExportFailedError extends Error {
  constructor(readonly operation: OperationResponse) {
    super(`export ${operation.operationId}: ${operation.message}`);
    this.name = new.target.name;
  }
}

/** Where the service names no time. */
const ASK_AGAIN_SECONDS = 2;

export async function pollExport(
  operationId: string,
  ask: () => Promise<{ body: OperationResponse; headers: Headers }>,
  onProgress: ((operation: OperationResponse) => void) | undefined,
  pause: (ms: number) => Promise<void>,
): Promise<FinishedExport> {
  for (;;) {
    const { body: operation, headers } = await ask();
    onProgress?.(operation);
    if (operation.operationStatus !== 'RUNNING') return finish(operationId, operation);
    await pause((retryAfterOf(headers) ?? ASK_AGAIN_SECONDS) * 1_000);
  }
}

/** Its id is the one that was asked for: a proof is held to that. */
function finish(operationId: string, operation: OperationResponse): FinishedExport {
  const { downloadUrl, proofUrl, nextDate } = operation.metadata;
  if (downloadUrl === undefined) throw new ExportFailedError(operation);
  return { operationId, downloadUrl, proofUrl, nextDate, operation };
}

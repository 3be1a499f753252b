import { Injectable } from '@nestjs/common';
import { ExportWorkflowClient } from './export/export-workflow.client.js';
import { endedUnreported, isFinal, type Operation } from './operation.js';
import { OperationRepository } from './operation.repository.js';

/** Operations as they are now: a final row is the truth; until there is one, the workflow is. */
@Injectable()
export class KnownOperations {
  constructor(
    private readonly operations: OperationRepository,
    private readonly workflows: ExportWorkflowClient,
  ) {}

  /** Without asking Temporal, which forgets what ended long ago. */
  findKept(operationId: string): Promise<Operation | undefined> {
    return this.operations.find(operationId);
  }

  async find(operationId: string): Promise<Operation | undefined> {
    const kept = await this.operations.find(operationId);
    if (kept !== undefined && isFinal(kept.state)) return kept;
    const operation = (await this.workflows.find(operationId)) ?? withoutWorkflow(kept);
    if (operation === undefined || !isFinal(operation.state)) return operation;
    // Its own last report may have arrived in the meantime; the first one recorded is final.
    await this.operations.save({ ...operation, request: null });
    return (await this.operations.find(operationId)) ?? operation;
  }
}

/** An operation that once ran, and that Temporal has never heard of, or not in this life. */
function withoutWorkflow(kept: Operation | undefined): Operation | undefined {
  if (kept === undefined) return undefined;
  const now = Math.floor(Date.now() / 1000);
  return { ...kept, state: endedUnreported(kept.state, 'the export was lost while it ran', now) };
}

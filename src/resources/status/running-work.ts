import { Injectable } from '@nestjs/common';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { z } from 'zod';
import {
  OPERATION_MEMO,
  OPERATION_TYPE_MEMO,
  TRANSACTION_EXPORT_EVM,
} from '../../../workflows/contracts/export-transactions.js';
import { OPERATION_TYPES, OperationStateSchema } from '../operations/operation.js';
import { TemporalClient } from '../../platform/temporal/temporal.module.js';
import type { OperationStatusResponse, WorkStatusResponse } from './dto/status.response.js';

type WorkKind = keyof WorkStatusResponse['running'];

/** By type, as Temporal's visibility knows them. */
const WORKFLOWS: Record<WorkKind, readonly string[]> = {
  operations: ['exportTransactionsWorkflow'],
  aggregations: ['aggregationRunWorkflow', 'aggregateSignaturesWorkflow'],
  nfts: ['indexNftMetadataWorkflow'],
};

const MAX_OPERATIONS = 20;

const MemoSchema = z.object({
  [OPERATION_MEMO]: OperationStateSchema,
  [OPERATION_TYPE_MEMO]: z.enum(OPERATION_TYPES),
});

/** Progress of workflows; of an operation only how far it is. */
@Injectable()
export class RunningWork {
  constructor(private readonly temporal: TemporalClient) {}

  /** Throws ApiError(503) when Temporal is away. */
  async read(): Promise<WorkStatusResponse> {
    const [operations, exports, aggregations, nfts] = await Promise.all([
      this.listOperations(),
      this.count('operations'),
      this.count('aggregations'),
      this.count('nfts'),
    ]);
    return { operations, running: { operations: exports, aggregations, nfts } };
  }

  private async count(kind: WorkKind): Promise<number> {
    return this.temporal.call(async ({ workflow }) => (await workflow.count(queryOf(kind))).count);
  }

  private async listOperations(): Promise<OperationStatusResponse[]> {
    return this.temporal.call(async ({ workflow }) => {
      const operations: OperationStatusResponse[] = [];
      for await (const execution of workflow.list({
        query: queryOf('operations'),
        pageSize: MAX_OPERATIONS,
      })) {
        operations.push(describe(execution));
        if (operations.length === MAX_OPERATIONS) break;
      }
      return operations;
    });
  }
}

function queryOf(kind: WorkKind): string {
  const types = WORKFLOWS[kind].map((type) => `'${type}'`).join(', ');
  return `WorkflowType IN (${types}) AND ExecutionStatus = 'Running'`;
}

/** Anyone who may start workflows manually may write anything into a memo. */
function describe({ memo, startTime }: WorkflowExecutionInfo): OperationStatusResponse {
  const { [OPERATION_MEMO]: known, [OPERATION_TYPE_MEMO]: type } = MemoSchema.safeParse(memo).data ?? {};
  const sinceMs = known === undefined ? startTime.getTime() : known.createdAt * 1_000;
  return {
    type: type ?? TRANSACTION_EXPORT_EVM,
    ...(known?.percentage === undefined ? {} : { percentage: known.percentage }),
    rows: known?.rows ?? 0,
    ageSeconds: Math.max(0, Math.round((Date.now() - sinceMs) / 1_000)),
  };
}

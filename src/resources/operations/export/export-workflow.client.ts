import { Injectable } from '@nestjs/common';
import {
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { z } from 'zod';
import {
  EXPORTS_QUEUE,
  type ExportRequest,
  type ExportTransactionsInput,
  makeExportTransactionsWorkflowId,
  OPERATION_MEMO,
  OPERATION_TYPE_MEMO,
  type OperationState,
  REMOVE_EXPIRED_EXPORTS_SCHEDULE_ID,
  REQUEST_DIGEST_MEMO,
  TRANSACTION_EXPORT_PRIMARY_NETWORK,
} from '../../../../workflows/contracts/export-transactions.js';
import type { exportTransactionsWorkflow } from '../../../../workflows/export-transactions.workflow.js';
import { TemporalClient } from '../../../platform/temporal/temporal.module.js';
import {
  endedUnreported,
  isFinal,
  type Operation,
  OPERATION_TYPES,
  OperationStateSchema,
} from '../operation.js';

/** Time for a workflow that gives up to record it, through an outage of the database. */
const REPORT_TIME_MS = 3_600_000;

const MemoSchema = z.object({
  [OPERATION_MEMO]: OperationStateSchema,
  [OPERATION_TYPE_MEMO]: z.enum(OPERATION_TYPES),
  [REQUEST_DIGEST_MEMO]: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Starts exports, and reads from their workflows, with no worker needed, how they are. */
@Injectable()
export class ExportWorkflowClient {
  constructor(private readonly temporal: TemporalClient) {}

  /** Whether it is new: one that runs or has run under this id stays what it is. */
  async start(input: ExportTransactionsInput): Promise<boolean> {
    try {
      await this.temporal.start<typeof exportTransactionsWorkflow>('exportTransactionsWorkflow', {
        workflowId: makeExportTransactionsWorkflowId(input.operationId),
        taskQueue: EXPORTS_QUEUE,
        args: [input],
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowExecutionTimeout: input.timeouts.giveUpMs + REPORT_TIME_MS,
        staticSummary: summaryOf(input),
        memo: {
          [OPERATION_MEMO]: input.state,
          [OPERATION_TYPE_MEMO]: input.request.type,
          [REQUEST_DIGEST_MEMO]: input.requestDigest,
        },
      });
      return true;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return false;
    }
  }

  /** Undefined when Temporal does not know it, or no longer. */
  async find(operationId: string): Promise<Operation | undefined> {
    const description = await this.describe(makeExportTransactionsWorkflowId(operationId));
    if (description === undefined) return undefined;
    const {
      [OPERATION_MEMO]: state,
      [OPERATION_TYPE_MEMO]: type,
      [REQUEST_DIGEST_MEMO]: requestDigest,
    } = MemoSchema.parse(description.memo);
    return {
      operationId,
      type,
      requestDigest,
      state: stateOf(description, state),
      isFileRemoved: false,
    };
  }

  /** Its file is removed, and this is recorded, as soon as a worker has received it. One that has ended stays what it is. */
  async cancel(operationId: string): Promise<void> {
    const workflowId = makeExportTransactionsWorkflowId(operationId);
    try {
      await this.temporal.call(({ workflow }) => workflow.getHandle(workflowId).cancel());
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  /** Now instead of with the next hour; while it is under way, it has seen what is to be removed, or the next one will. */
  async removeExpired(): Promise<void> {
    await this.temporal.call(({ schedule }) =>
      schedule.getHandle(REMOVE_EXPIRED_EXPORTS_SCHEDULE_ID).trigger(ScheduleOverlapPolicy.BUFFER_ONE),
    );
  }

  private async describe(workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
    try {
      return await this.temporal.call((client) => client.workflow.getHandle(workflowId).describe());
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }
}

function summaryOf({ request }: ExportTransactionsInput): string {
  const { firstDate, lastDate } = request;
  return `transactions of ${addressesOf(request)} on ${placeOf(request)}, ${firstDate} to ${lastDate}`;
}

function addressesOf(request: ExportRequest): string {
  const isLedger = request.type === TRANSACTION_EXPORT_PRIMARY_NETWORK;
  const count = request.addresses.length + (isLedger ? request.evmAddresses.length : 0);
  return count === 1 ? 'one address' : `${count} addresses`;
}

function placeOf(request: ExportRequest): string {
  if (request.type === TRANSACTION_EXPORT_PRIMARY_NETWORK) return `the chains of ${request.network}`;
  const { chainIds } = request;
  return chainIds.length === 1 ? `chain ${chainIds[0]}` : `${chainIds.length} chains`;
}

function stateOf(description: WorkflowExecutionDescription, recorded: OperationState): OperationState {
  if (isFinal(recorded)) return recorded;
  const end = endOf(description);
  if (end === undefined) return { ...recorded, message: recorded.message + obstacleOf(description) };
  const closedAt = Math.floor((description.closeTime?.getTime() ?? 0) / 1000);
  return endedUnreported(recorded, end, closedAt);
}

/** How a workflow was ended that has not recorded it itself; undefined while it goes on. */
function endOf({ status }: WorkflowExecutionDescription): string | undefined {
  switch (status.name) {
    case 'TERMINATED':
      return 'the export was ended by an operator';
    case 'CANCELLED':
      return 'the export was cancelled';
    case 'TIMED_OUT':
      return 'the export did not end in time';
    case 'FAILED':
    case 'COMPLETED':
      return 'the export has ended without a result';
    default:
      return undefined;
  }
}

/** Names the obstacle while the work at hand is tried again and again. */
function obstacleOf({ raw }: WorkflowExecutionDescription): string {
  const failing = raw.pendingActivities?.find(({ lastFailure }) => lastFailure);
  if (failing?.lastFailure === undefined || failing.lastFailure === null) return '';
  const type = failing.lastFailure.applicationFailureInfo?.type ?? '';
  const reason = /^[A-Z][A-Z0-9_]*$/.test(type) ? ` (${type})` : '';
  return `; the last attempt to go on failed${reason} and is repeated`;
}

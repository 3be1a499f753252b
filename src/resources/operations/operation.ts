import { z } from 'zod';
import {
  type OperationCode,
  type OperationState,
  type OperationStatus,
  type OperationType,
  TRANSACTION_EXPORT_EVM,
  TRANSACTION_EXPORT_PRIMARY_NETWORK,
} from '../../../workflows/contracts/export-transactions.js';

export const OPERATION_TYPES = [
  TRANSACTION_EXPORT_EVM,
  TRANSACTION_EXPORT_PRIMARY_NETWORK,
] as const satisfies readonly OperationType[];

export const OPERATION_STATUSES = [
  'RUNNING',
  'COMPLETED',
  'COMPLETED_WITH_WARNING',
  'FAILED',
] as const satisfies readonly OperationStatus[];

export const OPERATION_CODES = [
  'ErrInvalidRequest',
  'ErrInternal',
  'WarnTruncatedExport',
] as const satisfies readonly OperationCode[];

export interface Operation {
  readonly operationId: string;
  readonly type: OperationType;
  /** Hex. */
  readonly requestDigest: string;
  readonly state: OperationState;
  /** Whether nothing of its file is left. */
  readonly isFileRemoved: boolean;
}

const seconds = z.number().int().min(0);

/** The workflow's memo; anyone who may start workflows manually may write anything into it. */
export const OperationStateSchema: z.ZodType<OperationState> = z.object({
  status: z.enum(OPERATION_STATUSES),
  message: z.string(),
  code: z.enum(OPERATION_CODES).nullable(),
  nextDate: z.string().nullable(),
  rows: z.number().int().min(0),
  bytes: z.number().int().min(0),
  percentage: z.number().min(0).max(100).exactOptional(),
  createdAt: seconds,
  updatedAt: seconds,
  expiresAt: seconds.nullable(),
});

export function isFinal({ status }: OperationState): boolean {
  return status !== 'RUNNING';
}

/** A finished file's end of life, as far as the operation records it. */
export function hasFile({ status }: OperationState): boolean {
  return status === 'COMPLETED' || status === 'COMPLETED_WITH_WARNING';
}

/** The state of an operation whose workflow is over without a record of how it ended. */
export function endedUnreported(state: OperationState, message: string, now: number): OperationState {
  return {
    ...state,
    status: 'FAILED',
    code: 'ErrInternal',
    message,
    nextDate: null,
    updatedAt: Math.max(now, state.updatedAt),
    expiresAt: null,
  };
}

/** The state of an operation that was asked for and has not begun. `now`: UNIX seconds. */
export function acceptedAt(now: number): OperationState {
  return {
    status: 'RUNNING',
    message: 'accepted',
    code: null,
    nextDate: null,
    rows: 0,
    bytes: 0,
    createdAt: now,
    updatedAt: now,
    expiresAt: null,
  };
}

import type { TaskQueue } from './task-queues.js';

/**
 * The durable export of all movements of some addresses: on some EVM chains, or on the P-, X- and C-chain together. Payloads are plain
 * JSON.
 */
export const EXPORTS_QUEUE: TaskQueue = 'exports';

/** An export that has not ended by then ends with the days that are complete, or fails if there are none. */
export const EXPORT_GIVE_UP_MS = 24 * 3_600_000;

export const TRANSACTION_EXPORT_EVM = 'TRANSACTION_EXPORT_EVM';
/** A ledger of the primary network's chains. */
export const TRANSACTION_EXPORT_PRIMARY_NETWORK = 'TRANSACTION_EXPORT_PRIMARY_NETWORK';

export type OperationType = ExportRequest['type'];

/** `standard`: a row for each amount that moved; the others for what a transaction changed, as tools for taxes read it. */
export type ExportFormat = 'standard' | 'koinly' | 'cointracker';

/** The export's parameters; validated and complete, so that equal requests are equal. */
export type ExportRequest = EvmExportRequest | LedgerRequest;

export interface EvmExportRequest extends ExportedDays {
  type: typeof TRANSACTION_EXPORT_EVM;
  /** Lower-case hex with 0x, each once, in order. */
  addresses: string[];
  /** Those of the addresses whose keys have signed that they exist. */
  signers: string[];
  /** EVM chain ids, decimal, each once, in ascending order. */
  chainIds: string[];
  format: ExportFormat;
}

export interface LedgerRequest extends ExportedDays {
  type: typeof TRANSACTION_EXPORT_PRIMARY_NETWORK;
  network: string;
  /** Of bech32 addresses the 20 bytes, hex, each once, in order. */
  addresses: string[];
  /** Lower-case hex with 0x, each once, in order. */
  evmAddresses: string[];
  format: 'standard';
}

interface ExportedDays {
  /** YYYY-MM-DD, both days included. */
  firstDate: string;
  lastDate: string;
  /** IANA name of the zone whose days are meant. */
  timeZone: string;
}

/** Checked after each whole slice of days: a day is never cut, so an export goes at most one slice beyond. */
export interface ExportLimits {
  maxRows: number;
  /** Blocks that are read from nodes because the index does not have them. */
  maxNodeCalls: number;
}

interface ExportTimeouts {
  /** How long one activity works before it reports, in milliseconds. */
  turnMs: number;
  heartbeatMs: number;
  /** An export that has not ended after this time ends with its whole days, or fails when it has none. */
  giveUpMs: number;
}

export interface ExportTransactionsInput {
  operationId: string;
  /** SHA-256 (hex) over what was asked for, before defaults; shows whether a repeated Idempotency-Key came with the same request. */
  requestDigest: string;
  request: ExportRequest;
  limits: ExportLimits;
  timeouts: ExportTimeouts;
  /** How long the finished file can be downloaded. */
  retentionSeconds: number;
  /** Events after which the workflow continues as new, besides the server's own suggestion. */
  maxHistoryLength: number;
  /** As the API has accepted the operation, or as an earlier run left it when it continued as this one. */
  state: OperationState;
}

export interface ExportTurnInput {
  operationId: string;
  request: ExportRequest;
  limits: ExportLimits;
  durationMs: number;
}

export interface KeepWholeDaysInput {
  operationId: string;
  request: ExportRequest;
}

/** Where an export stands after a turn; all of it is on record, so that the next turn may run anywhere. */
export interface ExportProgress {
  state: 'more' | 'done' | 'truncated';
  rows: number;
  bytes: number;
  /** 0 to 100, one decimal. */
  percentage: number;
  /** Day and chain at hand. */
  day: string | null;
  chainId: string | null;
  /** With `truncated`: the first day that is not in the file, or not proved whole, YYYY-MM-DD. */
  nextDate: string | null;
  /** Notes for readers of the file, e.g. that a chain's internal transfers are missing; all notes so far. */
  notes: string[];
  /** Whether rows are missing, by the notes. */
  hasGaps: boolean;
}

export type OperationStatus = 'RUNNING' | 'COMPLETED' | 'COMPLETED_WITH_WARNING' | 'FAILED';
export type OperationCode = 'ErrInvalidRequest' | 'ErrInternal' | 'WarnTruncatedExport';

/** Fields of an operation's record; the value of the workflow's memo {@link OPERATION_MEMO}, and its result. */
export interface OperationState {
  status: OperationStatus;
  message: string;
  code: OperationCode | null;
  nextDate: string | null;
  rows: number;
  bytes: number;
  /** 0 to 100, one decimal; left out where only the end is on record. */
  percentage?: number;
  /** UNIX seconds. */
  createdAt: number;
  updatedAt: number;
  /** UNIX seconds until which the file can be downloaded; null when there is none. */
  expiresAt: number | null;
}

export const OPERATION_MEMO = 'operation';
/** Memo with the operation's type. */
export const OPERATION_TYPE_MEMO = 'operationType';
/** Memo with the request's digest, for repeated requests. */
export const REQUEST_DIGEST_MEMO = 'requestDigest';

export interface RecordOperationInput {
  operationId: string;
  type: OperationType;
  requestDigest: string;
  request: ExportRequest;
  state: OperationState;
}

export interface RemoveExportInput {
  operationId: string;
}

export function makeExportTransactionsWorkflowId(operationId: string): string {
  return `export-transactions:${operationId}`;
}

/** Hourly: files whose time is over, and what broken-off exports left behind. */
export const REMOVE_EXPIRED_EXPORTS_SCHEDULE_ID = 'remove-expired-exports';

export interface RemoveExpiredExportsInput {
  /** Longer than any export can run: what is older and was not finished is left behind. */
  abandonedAfterSeconds: number;
  /** Retention of an operation after its last update. */
  forgottenAfterSeconds: number;
}

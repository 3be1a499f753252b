import { Injectable } from '@nestjs/common';
import type {
  OperationCode,
  OperationStatus,
  RecordOperationInput,
  TRANSACTION_EXPORT_EVM,
} from '../../../workflows/contracts/export-transactions.js';
import { Database } from '../../platform/database/database.js';
import type { Operation } from './operation.js';

/** Of an operation that ended before its workflow could say anything, the request is not known. */
export type OperationRecord = Omit<RecordOperationInput, 'request'> & {
  request: RecordOperationInput['request'] | null;
};

interface Row {
  type: typeof TRANSACTION_EXPORT_EVM;
  request_digest: Buffer;
  status: OperationStatus;
  message: string;
  code: OperationCode | null;
  next_date: string | null;
  row_count: string;
  byte_count: string;
  created_at: string;
  updated_at: string;
  expires_at: string | null;
  files_removed: boolean;
}

/** What operations last said of themselves; outlives their workflows. */
@Injectable()
export class OperationRepository {
  constructor(private readonly database: Database) {}

  async find(operationId: string): Promise<Operation | undefined> {
    const [row] = await this.database.query<Row>({
      text: 'SELECT * FROM operations WHERE operation_id = $1',
      values: [operationId],
    });
    return row === undefined ? undefined : toOperation(operationId, row);
  }

  /** Exports are all there is of operations yet; none that runs has lost its file. */
  countRunning(): Promise<{ type: string; count: number }[]> {
    return this.database.query({
      text: `SELECT type.name AS type, count(operation_id)::int AS count
        FROM unnest(ARRAY['TRANSACTION_EXPORT_EVM']) AS type (name)
        LEFT JOIN operations ON operations.type = type.name AND status = 'RUNNING' AND NOT files_removed
       GROUP BY type.name`,
      values: [],
    });
  }

  /** An end is final, and an older state that arrives late never replaces a newer one. */
  async save({ operationId, type, requestDigest, request, state }: OperationRecord): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO operations AS known (operation_id, type, request_digest, request, status, message, code, next_date,
         row_count, byte_count, created_at, updated_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
       ON CONFLICT (operation_id) DO UPDATE SET status = EXCLUDED.status, message = EXCLUDED.message,
         code = EXCLUDED.code, next_date = EXCLUDED.next_date, row_count = EXCLUDED.row_count,
         byte_count = EXCLUDED.byte_count, updated_at = EXCLUDED.updated_at, expires_at = EXCLUDED.expires_at
       WHERE known.status = 'RUNNING'
         AND (EXCLUDED.status <> 'RUNNING' OR EXCLUDED.updated_at >= known.updated_at)`,
      values: [
        operationId,
        type,
        Buffer.from(requestDigest, 'hex'),
        request === null ? null : JSON.stringify(request),
        state.status,
        state.message,
        state.code,
        state.nextDate,
        state.rows,
        state.bytes,
        state.createdAt,
        state.updatedAt,
        state.expiresAt,
      ],
    });
  }
}

function toOperation(operationId: string, row: Row): Operation {
  return {
    operationId,
    type: row.type,
    requestDigest: row.request_digest.toString('hex'),
    state: {
      status: row.status,
      message: row.message,
      code: row.code,
      nextDate: row.next_date,
      rows: Number(row.row_count),
      bytes: Number(row.byte_count),
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at),
      expiresAt: row.expires_at === null ? null : Number(row.expires_at),
    },
    isFileRemoved: row.files_removed,
  };
}

import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

/** Where a page of operations ended. */
export interface OperationCursor {
  /** UNIX seconds, decimal. */
  readonly createdAt: string;
  readonly operationId: string;
}

export const BEFORE_ALL_OPERATIONS: OperationCursor = {
  createdAt: '0',
  operationId: '00000000-0000-0000-0000-000000000000',
};

@Injectable()
export class ExpiredExportsRepository {
  constructor(private readonly database: Database) {}

  /** A page of operations whose files are of no use: their time is over, they failed, or they were never finished. */
  async listRemovable(options: {
    abandonedBefore: Date;
    after: OperationCursor;
    limit: number;
  }): Promise<OperationCursor[]> {
    const { abandonedBefore, after, limit } = options;
    return this.database.query({
      text: `SELECT created_at AS "createdAt", operation_id AS "operationId" FROM operations
              WHERE NOT files_removed AND (created_at, operation_id) > ($1::bigint, $2::uuid)
                AND (expires_at <= extract(epoch FROM now()) OR status = 'FAILED'
                     OR (status = 'RUNNING' AND created_at <= extract(epoch FROM $3::timestamptz)))
              ORDER BY created_at, operation_id LIMIT $4`,
      values: [after.createdAt, after.operationId, abandonedBefore, limit],
    });
  }

  /** Those that are meant to have files, now or later. */
  async findKept(operationIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.query<{ operationId: string }>({
      text: `SELECT operation_id AS "operationId" FROM operations
              WHERE operation_id = ANY ($1::uuid[]) AND NOT files_removed`,
      values: [operationIds],
    });
    return new Set(rows.map(({ operationId }) => operationId));
  }

  /** Operations that were last updated long ago, whose files are gone, and whose they were. */
  async forgetOperations(olderThanSeconds: number): Promise<void> {
    const before = 'extract(epoch FROM now()) - $1';
    await this.database.execute({
      text: `WITH forgotten AS (
          DELETE FROM operations WHERE files_removed AND updated_at < ${before} RETURNING operation_id
        )
        DELETE FROM export_claims AS claim
         WHERE operation_id IN (SELECT operation_id FROM forgotten)
            OR (claimed_at < ${before} AND NOT EXISTS (SELECT FROM operations WHERE operation_id = claim.operation_id))`,
      values: [olderThanSeconds],
    });
  }

  /** One statement: a download sees all parts of a file or none. */
  async forgetFiles(operationId: string): Promise<void> {
    await this.database.query({
      text: `WITH parts AS (DELETE FROM export_parts WHERE operation_id = $1),
                  proofs AS (DELETE FROM export_proofs WHERE operation_id = $1),
                  states AS (DELETE FROM export_states WHERE operation_id = $1),
                  windows AS (DELETE FROM export_log_windows WHERE operation_id = $1)
             UPDATE operations SET files_removed = true WHERE operation_id = $1`,
      values: [operationId],
    });
  }
}

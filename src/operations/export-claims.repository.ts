import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

/** An export that somebody has started, and that still costs something. */
export interface ClaimedExport {
  readonly operationId: string;
  /** Hex. */
  readonly requestDigest: string;
  readonly isRunning: boolean;
  readonly bytes: number;
}

export interface Claim {
  readonly operationId: string;
  readonly owner: string;
  /** Hex. */
  readonly requestDigest: string;
}

/** The export that answers a request, and whether it is to be started. */
export interface Claimed {
  readonly operationId: string;
  readonly isNew: boolean;
}

/** Before its first word nothing is known of an export but that somebody wants it; one that never says any has not begun. */
const SILENT_SECONDS = 3_600;

/** Whose exports there are. */
@Injectable()
export class ExportClaimsRepository {
  constructor(private readonly database: Database) {}

  /** Puts the export on record, unless `decide` names another one or throws, which sees all of the owner's; one at a time for each. */
  claim(
    { operationId, owner, requestDigest }: Claim,
    decide: (others: readonly ClaimedExport[]) => string | undefined,
  ): Promise<Claimed> {
    return this.database.transaction(async (transaction) => {
      await transaction.query({
        text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
        values: [owner],
      });
      const known = await transaction.query({
        text: 'SELECT FROM export_claims WHERE operation_id = $1',
        values: [operationId],
      });
      if (known.length > 0) return { operationId, isNew: false };
      const others = await transaction.query<ClaimedExport>({
        text: `SELECT operation_id AS "operationId", encode(claim.request_digest, 'hex') AS "requestDigest",
            coalesce(status, 'RUNNING') = 'RUNNING' AS "isRunning", coalesce(byte_count, 0)::float8 AS bytes
          FROM export_claims claim LEFT JOIN operations USING (operation_id)
         WHERE owner = $1 AND status IS DISTINCT FROM 'FAILED'
           AND CASE WHEN status IS NULL THEN claimed_at > extract(epoch FROM now()) - ${SILENT_SECONDS} ELSE NOT files_removed END`,
        values: [owner],
      });
      const other = decide(others);
      if (other !== undefined) return { operationId: other, isNew: false };
      await transaction.execute({
        text: `INSERT INTO export_claims (operation_id, owner, request_digest, claimed_at)
          VALUES ($1, $2, $3, extract(epoch FROM now()))`,
        values: [operationId, owner, Buffer.from(requestDigest, 'hex')],
      });
      return { operationId, isNew: true };
    });
  }

  /** Of an export that could not be started. */
  async withdraw(operationId: string): Promise<void> {
    await this.database.execute({
      text: 'DELETE FROM export_claims WHERE operation_id = $1',
      values: [operationId],
    });
  }
}

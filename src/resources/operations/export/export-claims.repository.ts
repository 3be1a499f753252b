import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../../platform/database/database.js';

/** An export that has been started and still counts against its owner's limits. */
export interface ClaimedExport {
  readonly operationId: string;
  /** Hex. */
  readonly requestDigest: string;
  readonly isRunning: boolean;
  readonly bytes: number;
}

/** What an owner has of exports. */
export interface OwnedExports extends ScannedToday {
  readonly exports: readonly ClaimedExport[];
}

interface ScannedToday {
  /** Blocks that those claimed today (UTC) have read from nodes; of running ones what they still may. */
  readonly scannedToday: number;
  /** Until what is counted begins anew. */
  readonly secondsLeftToday: number;
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
  /** Blocks that it may read from nodes. */
  readonly maxScannedBlocks: number;
}

/** Another export that answers the request, or what the new one may do. */
export type Decision = Pick<Claimed, 'maxScannedBlocks'> | { readonly join: string };

/** Before its first report, all that is known of an export is that it was requested; one that never reports has not begun. */
const SILENT_SECONDS = 3_600;

/** Claims with what is known of their operations. */
const STATES = `export_claims AS claim LEFT JOIN operations AS operation USING (operation_id)
 CROSS JOIN LATERAL (
   SELECT (status = 'RUNNING' AND NOT files_removed) OR (status IS NULL AND claimed_at > extract(epoch FROM now()) - ${SILENT_SECONDS}) AS is_running
 ) AS state`;

/** Whose exports there are. */
@Injectable()
export class ExportClaimsRepository {
  constructor(private readonly database: Database) {}

  /** Puts the export on record, unless `decide` names another one or throws; one at a time for each owner. */
  claim(
    { operationId, owner, requestDigest }: Claim,
    decide: (owned: OwnedExports) => Decision,
  ): Promise<Claimed> {
    return this.database.transaction(async (transaction) => {
      await transaction.query({
        text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
        values: [owner],
      });
      const [known] = await findClaim(transaction, operationId);
      if (known !== undefined) return known;
      const decision = decide({
        exports: await findExports(transaction, owner),
        ...(await sumScanned(transaction, owner)),
      });
      if ('join' in decision) {
        const [joined] = await findClaim(transaction, decision.join);
        if (joined === undefined) throw new Error(`there is no claim ${decision.join}`);
        return joined;
      }
      await transaction.execute({
        text: `INSERT INTO export_claims (operation_id, owner, request_digest, claimed_at, max_scanned_blocks)
          VALUES ($1, $2, $3, extract(epoch FROM now()), $4)`,
        values: [operationId, owner, Buffer.from(requestDigest, 'hex'), decision.maxScannedBlocks],
      });
      return { operationId, isNew: true, ...decision };
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

function findClaim(queryable: Queryable, operationId: string): Promise<Claimed[]> {
  return queryable.query({
    text: `SELECT operation_id AS "operationId", false AS "isNew", max_scanned_blocks::float8 AS "maxScannedBlocks"
      FROM export_claims WHERE operation_id = $1`,
    values: [operationId],
  });
}

/** All that run or have files. */
function findExports(queryable: Queryable, owner: string): Promise<ClaimedExport[]> {
  return queryable.query({
    text: `SELECT operation_id AS "operationId", encode(claim.request_digest, 'hex') AS "requestDigest",
        is_running AS "isRunning", coalesce(byte_count, 0)::float8 AS bytes
      FROM ${STATES}
     WHERE owner = $1 AND (is_running OR (status LIKE 'COMPLETED%' AND NOT files_removed))`,
    values: [owner],
  });
}

async function sumScanned(queryable: Queryable, owner: string): Promise<ScannedToday> {
  const [row] = await queryable.query<ScannedToday>({
    text: `SELECT coalesce(sum(CASE WHEN is_running THEN max_scanned_blocks ELSE scanned_blocks END), 0)::float8 AS "scannedToday",
        ceil(extract(epoch FROM date_trunc('day', now(), 'UTC') + interval '24 hours' - now()))::float8 AS "secondsLeftToday"
      FROM ${STATES}
     WHERE owner = $1 AND claimed_at >= extract(epoch FROM date_trunc('day', now(), 'UTC'))`,
    values: [owner],
  });
  if (row === undefined) throw new Error('a sum has a row');
  return row;
}

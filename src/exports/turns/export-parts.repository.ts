import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Database, type Queryable } from '../../platform/database/database.js';
import { type ExportPosition, packPosition, PositionSchema, unpackPosition } from './export-position.js';
import type { PartCut } from '../rows/part-content.js';
import { TransactionExportError } from '../transaction-export.error.js';
import { CountSchema } from '../record-schemas.js';

/** A piece of an export's file; `crc` is that of all rows up to here. */
export interface ExportPart extends PartCut {
  readonly operationId: string;
  /** Counts from 0. */
  readonly part: number;
  /** null when the piece has no bytes. */
  readonly storageKey: string | null;
  readonly cut: PartCut | null;
}

export interface RecordedParts {
  /** How many there are. */
  readonly count: number;
  readonly bytes: number;
  readonly crc: number;
  /** undefined before the first one. */
  readonly position: ExportPosition | undefined;
}

const EMPTY_SHA256 = createHash('sha256').digest('hex');

const CutSchema: z.ZodType<PartCut> = z.object({
  bytes: CountSchema,
  storedBytes: CountSchema,
  rows: CountSchema,
  crc: CountSchema,
  sha256: z.string(),
  position: PositionSchema,
});

@Injectable()
export class ExportPartsRepository {
  constructor(private readonly database: Database) {}

  async load(operationId: string): Promise<RecordedParts> {
    const [last] = await this.database.query<{ part: number; position_after: unknown; bytes: string }>({
      text: `SELECT part, position_after, sum(bytes) OVER () AS bytes FROM export_parts WHERE operation_id = $1
              ORDER BY part DESC LIMIT 1`,
      values: [operationId],
    });
    if (last === undefined) return { count: 0, bytes: 0, crc: 0, position: undefined };
    return {
      count: last.part + 1,
      bytes: Number(last.bytes),
      crc: z.object({ crc: CountSchema }).parse(last.position_after).crc,
      position: unpackPosition(last.position_after),
    };
  }

  /**
   * Not for an export whose files were removed: a process that does not know that it has failed must not bring it back. Blocks
   * read from nodes are charged to the owner of the export.
   *
   * Throws TransactionExportError `PART_TAKEN`.
   */
  async record(part: ExportPart, queryable: Queryable = this.database): Promise<void> {
    const { operationId, storageKey, bytes, storedBytes, rows, position, crc, sha256, cut } = part;
    const recorded = await queryable.execute({
      text: `WITH claim AS (
               UPDATE export_claims SET node_calls = greatest(node_calls, $8::bigint) WHERE operation_id = $1::uuid
             )
             INSERT INTO export_parts (operation_id, part, storage_key, bytes, stored_bytes, rows, position_after)
             SELECT $1::uuid, $2::int, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::jsonb
              WHERE NOT EXISTS (SELECT FROM operations WHERE operation_id = $1 AND files_removed)
             ON CONFLICT DO NOTHING`,
      values: [
        operationId,
        part.part,
        storageKey,
        bytes,
        storedBytes,
        rows,
        packPosition({ ...position, crc, sha256, cut }),
        position.nodeCalls,
      ],
    });
    if (recorded === 0) {
      throw new TransactionExportError(
        'PART_TAKEN',
        `part ${part.part} of ${operationId} was recorded by another process, or its files were removed`,
      );
    }
  }

  /** Of the parts of the file, in order. */
  async findDigests(operationId: string): Promise<{ bytes: number; sha256: string }[]> {
    const rows = await this.database.query<{ bytes: string; sha256: string }>({
      text: `SELECT bytes, position_after ->> 'sha256' AS sha256 FROM export_parts WHERE operation_id = $1 ORDER BY part`,
      values: [operationId],
    });
    return rows.map(({ bytes, sha256 }) => ({ bytes: Number(bytes), sha256 }));
  }

  /** Behind the last slice that is whole. */
  async findCut(operationId: string): Promise<{ part: number; cut: PartCut } | undefined> {
    const [row] = await this.database.query<{ part: number; cut: unknown }>({
      text: `SELECT part, position_after -> 'cut' AS cut FROM export_parts
              WHERE operation_id = $1 AND jsonb_typeof(position_after -> 'cut') = 'object' ORDER BY part DESC LIMIT 1`,
      values: [operationId],
    });
    return row === undefined ? undefined : { part: row.part, cut: CutSchema.parse(row.cut) };
  }

  /**
   * Ends the file at a cut, after so many parts. Later parts stay recorded without bytes, and an empty part follows: a process
   * that is still working finds the next one taken.
   *
   * Throws TransactionExportError `PART_TAKEN`.
   */
  async cut(
    operationId: string,
    { part, cut, count }: { part: number; cut: PartCut; count: number },
  ): Promise<void> {
    const { bytes, storedBytes, rows, crc, sha256, position } = cut;
    await this.database.transaction(async (transaction) => {
      const end = { operationId, part: count, storageKey: null, bytes: 0, storedBytes: 0, rows: 0, position };
      await this.record({ ...end, crc, sha256: EMPTY_SHA256, cut: null }, transaction);
      await transaction.execute({
        text: `UPDATE export_parts SET storage_key = NULL, bytes = 0, stored_bytes = 0, rows = 0
                WHERE operation_id = $1 AND part > $2`,
        values: [operationId, part],
      });
      await transaction.execute({
        text: `UPDATE export_parts SET bytes = $3::bigint, stored_bytes = $4, rows = $5,
                 position_after = jsonb_set(position_after, '{sha256}', to_jsonb($6::text)),
                 storage_key = CASE WHEN $3::bigint > 0 THEN storage_key END
                WHERE operation_id = $1 AND part = $2`,
        values: [operationId, part, bytes, storedBytes, rows, sha256],
      });
    });
  }
}

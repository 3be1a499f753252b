import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type ExportPosition, packPosition, unpackPosition } from './export-position.js';
import { TransactionExportError } from './transaction-export.error.js';

/** A piece of an export's file. */
export interface ExportPart {
  readonly operationId: string;
  /** Counts from 0. */
  readonly part: number;
  /** null when the piece has no bytes. */
  readonly storageKey: string | null;
  readonly bytes: number;
  readonly rows: number;
  readonly positionAfter: ExportPosition;
}

export interface RecordedParts {
  /** How many there are. */
  readonly count: number;
  readonly bytes: number;
  /** undefined before the first one. */
  readonly position: ExportPosition | undefined;
}

@Injectable()
export class ExportPartsRepository {
  constructor(private readonly database: Database) {}

  async load(operationId: string): Promise<RecordedParts> {
    const [last] = await this.database.query<{ part: number; position_after: unknown; bytes: string }>({
      text: `SELECT part, position_after, sum(bytes) OVER () AS bytes FROM export_parts WHERE operation_id = $1
              ORDER BY part DESC LIMIT 1`,
      values: [operationId],
    });
    if (last === undefined) return { count: 0, bytes: 0, position: undefined };
    return {
      count: last.part + 1,
      bytes: Number(last.bytes),
      position: unpackPosition(last.position_after),
    };
  }

  /**
   * Not of an export whose files were removed: who does not know that it has failed must not bring it back.
   *
   * @throws TransactionExportError `PART_TAKEN`
   */
  async record({ operationId, part, storageKey, bytes, rows, positionAfter }: ExportPart): Promise<void> {
    const recorded = await this.database.query({
      text: `INSERT INTO export_parts (operation_id, part, storage_key, bytes, rows, position_after)
             SELECT $1::uuid, $2::int, $3::text, $4::bigint, $5::bigint, $6::jsonb
              WHERE NOT EXISTS (SELECT FROM operations WHERE operation_id = $1 AND files_removed)
             ON CONFLICT DO NOTHING RETURNING part`,
      values: [operationId, part, storageKey, bytes, rows, packPosition(positionAfter)],
    });
    if (recorded.length === 0) {
      throw new TransactionExportError(
        'PART_TAKEN',
        `part ${part} of ${operationId} was recorded by another process, or its files were removed`,
      );
    }
  }
}

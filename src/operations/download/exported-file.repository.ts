import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type ExportedFile, makeExportedFile } from './exported-file.js';

interface PartRow {
  readonly isRemoved: boolean;
  readonly storageKey: string | null;
  /** Null for an operation without parts. */
  readonly bytes: string | null;
}

@Injectable()
export class ExportedFileRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Undefined unless all of it is there. One statement, so that a removal is seen wholly or not at all. */
  async find(operationId: string): Promise<ExportedFile | undefined> {
    const rows: PartRow[] = await this.dataSource.query(
      `SELECT operation.files_removed AS "isRemoved", part.storage_key AS "storageKey", part.bytes
         FROM operations AS operation
         LEFT JOIN export_parts AS part ON part.operation_id = operation.operation_id
        WHERE operation.operation_id = $1 AND operation.status IN ('COMPLETED', 'COMPLETED_WITH_WARNING')
        ORDER BY part.part`,
      [operationId],
    );
    if (rows.length === 0 || rows[0]?.isRemoved === true) return undefined;
    return makeExportedFile(
      operationId,
      rows.map(({ storageKey, bytes }) => ({ storageKey, bytes: Number(bytes ?? 0) })),
    );
  }
}

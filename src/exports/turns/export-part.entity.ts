import { Entity } from 'typeorm';
import { Int, Jsonb, SafeInteger, Text, Timestamp, Uuid } from '../../platform/database/columns.js';

/** A piece of an export's file, and where the export stood after it. `storageKey` is null for a piece without bytes. */
@Entity({ name: 'export_parts' })
export class ExportPartEntity {
  @Uuid({ key: true }) readonly operationId: string;
  @Int({ key: true }) readonly part: number;
  @Text({ nullable: true }) readonly storageKey: string | null;
  @SafeInteger() readonly bytes: number;
  @SafeInteger() readonly rows: number;
  @Jsonb() readonly positionAfter: unknown;
  @Timestamp({ default: () => 'now()' }) readonly createdAt: Date;
  @SafeInteger() readonly storedBytes: number;
}

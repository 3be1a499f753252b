import { Entity } from 'typeorm';
import * as Column from '../../platform/database/columns.js';

/** A piece of an export's file, and where the export stood after it. `storageKey` is null for a piece without bytes. */
@Entity({ name: 'export_parts' })
export class ExportPartEntity {
  @Column.Uuid({ key: true }) readonly operationId!: string;
  @Column.Int({ key: true }) readonly part!: number;
  @Column.Text({ nullable: true }) readonly storageKey!: string | null;
  @Column.SafeInteger() readonly bytes!: number;
  @Column.SafeInteger() readonly rows!: number;
  @Column.Jsonb() readonly positionAfter: unknown;
  @Column.Timestamp({ default: () => 'now()' }) readonly createdAt!: Date;
  @Column.SafeInteger() readonly storedBytes!: number;
}

import { Entity } from 'typeorm';
import * as Column from '../../platform/database/columns.js';

/** The proof of an export that has ended, as it is downloaded. */
@Entity({ name: 'export_proofs' })
export class ExportProofEntity {
  @Column.Uuid({ key: true }) readonly operationId!: string;
  @Column.Text() readonly content!: string;
}

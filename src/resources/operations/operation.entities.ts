import { Check, Entity, Index } from 'typeorm';
import type {
  OperationCode,
  OperationStatus,
  OperationType,
  RecordOperationInput,
} from '../../../workflows/contracts/export-transactions.js';
import * as Column from '../../platform/database/columns.js';

/**
 * An operation as its workflow reported it last; outlives Temporal's retention. `request` is null when it ended before it could report
 * anything. While a turn of it stores a part, `storingUntil` is when that must be over; UNIX seconds.
 */
@Entity({ name: 'operations' })
@Index('operations_files_idx', ['createdAt'], { where: 'NOT files_removed' })
@Check('operations_status', "status IN ('RUNNING', 'COMPLETED', 'COMPLETED_WITH_WARNING', 'FAILED')")
export class OperationEntity {
  @Column.Uuid({ key: true }) readonly operationId!: string;
  @Column.Text() readonly type!: OperationType;
  @Column.Hex() readonly requestDigest!: string;
  @Column.Jsonb({ nullable: true }) readonly request!: RecordOperationInput['request'] | null;
  @Column.Text() readonly status!: OperationStatus;
  @Column.Text() readonly message!: string;
  @Column.Text({ nullable: true }) readonly code!: OperationCode | null;
  @Column.Text({ nullable: true }) readonly nextDate!: string | null;
  @Column.SafeInteger() readonly rowCount!: number;
  @Column.SafeInteger() readonly byteCount!: number;
  @Column.SafeInteger() readonly createdAt!: number;
  @Column.SafeInteger() readonly updatedAt!: number;
  @Column.SafeInteger({ nullable: true }) readonly expiresAt!: number | null;
  @Column.Flag({ default: false }) readonly filesRemoved!: boolean;
  @Column.SafeInteger({ nullable: true }) readonly storingUntil!: number | null;
}

/** An operation that counts towards its owner's quotas. */
@Entity({ name: 'export_claims' })
@Index('export_claims_owner_idx', ['owner', 'claimedAt'])
export class ExportClaim {
  @Column.Uuid({ key: true }) readonly operationId!: string;
  @Column.Text() readonly type!: OperationType;
  @Column.Text() readonly owner!: string;
  @Column.Hex() readonly requestDigest!: string;
  @Column.SafeInteger() readonly claimedAt!: number;
  @Column.SafeInteger() readonly maxNodeCalls!: number;
  @Column.SafeInteger({ default: 0 }) readonly nodeCalls!: number;
}

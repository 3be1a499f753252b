import { Check, Entity, Index } from 'typeorm';
import type {
  OperationCode,
  OperationStatus,
  RecordOperationInput,
  TRANSACTION_EXPORT_EVM,
} from '../../../workflows/contracts/export-transactions.js';
import { Flag, Hex, Jsonb, SafeInteger, Text, Uuid } from '../../platform/database/columns.js';

/**
 * An operation as its workflow reported it last; outlives Temporal's retention. `request` is null when it ended before it could report
 * anything.
 */
@Entity({ name: 'operations' })
@Index('operations_files_idx', ['createdAt'], { where: 'NOT files_removed' })
@Check('operations_status', "status IN ('RUNNING', 'COMPLETED', 'COMPLETED_WITH_WARNING', 'FAILED')")
export class OperationEntity {
  @Uuid({ key: true }) readonly operationId: string;
  @Text() readonly type: typeof TRANSACTION_EXPORT_EVM;
  @Hex() readonly requestDigest: string;
  @Jsonb({ nullable: true }) readonly request: RecordOperationInput['request'] | null;
  @Text() readonly status: OperationStatus;
  @Text() readonly message: string;
  @Text({ nullable: true }) readonly code: OperationCode | null;
  @Text({ nullable: true }) readonly nextDate: string | null;
  @SafeInteger() readonly rowCount: number;
  @SafeInteger() readonly byteCount: number;
  @SafeInteger() readonly createdAt: number;
  @SafeInteger() readonly updatedAt: number;
  @SafeInteger({ nullable: true }) readonly expiresAt: number | null;
  @Flag({ default: false }) readonly filesRemoved: boolean;
}

/** An operation that counts towards its owner's quotas. */
@Entity({ name: 'export_claims' })
@Index('export_claims_owner_idx', ['owner', 'claimedAt'])
export class ExportClaim {
  @Uuid({ key: true }) readonly operationId: string;
  @Text() readonly owner: string;
  @Hex() readonly requestDigest: string;
  @SafeInteger() readonly claimedAt: number;
  @SafeInteger() readonly maxScannedBlocks: number;
  @SafeInteger({ default: 0 }) readonly scannedBlocks: number;
}

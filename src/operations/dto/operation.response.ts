import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  type OperationCode,
  type OperationStatus,
  TRANSACTION_EXPORT_EVM,
} from '../../../workflows/contracts/export-transactions.js';
import { type Operation, OPERATION_CODES, OPERATION_STATUSES } from '../operation.js';

export class OperationMetadata {
  @ApiPropertyOptional({ enum: OPERATION_CODES })
  code?: OperationCode;

  @ApiPropertyOptional({ description: 'The CSV file, for as long as it is kept.' })
  downloadUrl?: string;

  @ApiPropertyOptional({
    format: 'date',
    description:
      'With WarnTruncatedExport: the first day that is not in the file or may be incomplete, and the firstDate of the export that goes on.',
  })
  nextDate?: string;
}

export class OperationResponse {
  @ApiProperty({ format: 'uuid' })
  operationId: string;

  @ApiProperty({ enum: [TRANSACTION_EXPORT_EVM] })
  operationType: string;

  @ApiProperty({ enum: OPERATION_STATUSES })
  operationStatus: OperationStatus;

  @ApiProperty({ description: 'For people: progress, what is not in the file, or why there is none.' })
  message: string;

  @ApiProperty({ type: OperationMetadata })
  metadata: OperationMetadata;

  @ApiProperty({ type: 'integer', description: 'UNIX seconds.' })
  createdAtTimestamp: number;

  @ApiProperty({ type: 'integer', description: 'UNIX seconds.' })
  updatedAtTimestamp: number;
}

export function toOperationResponse(
  { operationId, type, state }: Operation,
  download: { url?: string; isOver: boolean },
): OperationResponse {
  const { status, message, code, nextDate, createdAt, updatedAt } = state;
  return {
    operationId,
    operationType: type,
    operationStatus: status,
    message: download.isOver ? `${message}; the file was kept for its time and is removed` : message,
    metadata: {
      ...(code === null ? {} : { code }),
      ...(download.url === undefined ? {} : { downloadUrl: download.url }),
      ...(nextDate === null ? {} : { nextDate }),
    },
    createdAtTimestamp: createdAt,
    updatedAtTimestamp: updatedAt,
  };
}

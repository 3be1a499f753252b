import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  type OperationCode,
  type OperationStatus,
  TRANSACTION_EXPORT_EVM,
} from '../../../workflows/contracts/export-transactions.js';
import { text, unixSeconds } from '../../http/openapi/fields.js';
import { type Operation, OPERATION_CODES, OPERATION_STATUSES } from '../operation.js';

export class OperationMetadata {
  @ApiPropertyOptional({
    enum: OPERATION_CODES,
    description: 'Why it failed, or what its file lacks.',
    example: 'WarnTruncatedExport',
  })
  code?: OperationCode;

  @ApiPropertyOptional(
    text(
      'The CSV file, for as long as it is kept. The URL is its own key.',
      'http://127.0.0.1:3000/v1/operations/afa53bc7-b092-41df-ae25-bf787cb870b7/transactions.csv?expires=1795632982&signature=dBTXbOQnd_EJOFYyXZ2oSFlvgbGy87NDLuH_7QZXCw8',
    ),
  )
  downloadUrl?: string;

  @ApiPropertyOptional({
    format: 'date',
    description:
      'With WarnTruncatedExport: the first day that is not in the file or may be incomplete, and the firstDate of the export that goes on. UTC.',
    example: '2026-11-22',
  })
  nextDate?: string;
}

export class OperationResponse {
  @ApiProperty({
    format: 'uuid',
    description: 'To ask for it again.',
    example: 'afa53bc7-b092-41df-ae25-bf787cb870b7',
  })
  operationId: string;

  @ApiProperty({
    enum: [TRANSACTION_EXPORT_EVM],
    description: 'What it does.',
    example: TRANSACTION_EXPORT_EVM,
  })
  operationType: string;

  @ApiProperty({
    enum: OPERATION_STATUSES,
    description: 'RUNNING until it has ended in one of the other ways.',
    example: 'COMPLETED_WITH_WARNING',
  })
  operationStatus: OperationStatus;

  @ApiProperty(
    text(
      'For people: progress, what is not in the file, or why there is none.',
      '46 rows; go on with firstDate 2026-11-22',
    ),
  )
  message: string;

  @ApiProperty({ type: OperationMetadata, description: 'What there is to be done with it.' })
  metadata: OperationMetadata;

  @ApiProperty(unixSeconds('When it was asked for.', 1_795_373_778))
  createdAtTimestamp: number;

  @ApiProperty(unixSeconds('When it last went on.', 1_795_373_782))
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

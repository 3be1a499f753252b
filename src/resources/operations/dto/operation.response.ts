import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  type OperationCode,
  type OperationStatus,
  type OperationType,
  TRANSACTION_EXPORT_EVM,
} from '../../../../workflows/contracts/export-transactions.js';
import { text, unixSeconds } from '../../../platform/http/openapi/fields.js';
import { PageResponse } from '../../../platform/http/openapi/page.response.js';
import { type Operation, OPERATION_CODES, OPERATION_STATUSES, OPERATION_TYPES } from '../operation.js';

export class OperationMetadata {
  @ApiPropertyOptional({
    enum: OPERATION_CODES,
    description: 'Why the operation failed, or what is missing from its file.',
    example: 'WarnTruncatedExport',
  })
  code?: OperationCode;

  @ApiPropertyOptional(
    text(
      'URL of the CSV file, while the file is kept. Anyone who has the URL can read the file.',
      'http://127.0.0.1:3000/v1/operations/afa53bc7-b092-41df-ae25-bf787cb870b7/transactions.csv?expires=1795632982&signature=dBTXbOQnd_EJOFYyXZ2oSFlvgbGy87NDLuH_7QZXCw8',
    ),
  )
  downloadUrl?: string;

  @ApiPropertyOptional(
    text(
      'URL of what proves the file: the accounts at both ends, by which rule nothing is missing between them, and the digest of the file; signed by this installation. A ledger has none.',
      'http://127.0.0.1:3000/v1/operations/afa53bc7-b092-41df-ae25-bf787cb870b7/proof.json?expires=1795632982&signature=dBTXbOQnd_EJOFYyXZ2oSFlvgbGy87NDLuH_7QZXCw8',
    ),
  )
  proofUrl?: string;

  @ApiPropertyOptional({
    format: 'date',
    description:
      'With WarnTruncatedExport: the first day that is missing from the file or may be incomplete. Use it as the firstDate of the next export. In options.timeZone.',
    example: '2026-11-22',
  })
  nextDate?: string;
}

export class OperationResponse {
  @ApiProperty({
    format: 'uuid',
    description: 'Id of the operation.',
    example: 'afa53bc7-b092-41df-ae25-bf787cb870b7',
  })
  operationId!: string;

  @ApiProperty({
    enum: OPERATION_TYPES,
    description: 'Kind of the operation.',
    example: TRANSACTION_EXPORT_EVM,
  })
  operationType!: OperationType;

  @ApiProperty({
    enum: OPERATION_STATUSES,
    description: 'RUNNING until the operation ends with one of the other statuses.',
    example: 'COMPLETED_WITH_WARNING',
  })
  operationStatus!: OperationStatus;

  @ApiProperty(
    text(
      'For people: progress, what is missing from the file, or why there is no file.',
      '46 rows; continue with firstDate 2026-11-22',
    ),
  )
  message!: string;

  @ApiProperty({ type: OperationMetadata, description: 'The result of the operation.' })
  metadata!: OperationMetadata;

  @ApiProperty(unixSeconds('When the operation was created.', 1_795_373_778))
  createdAtTimestamp!: number;

  @ApiProperty(unixSeconds('When the operation last made progress.', 1_795_373_782))
  updatedAtTimestamp!: number;
}

export class ListOperationsResponse extends PageResponse {
  @ApiProperty({
    type: [OperationResponse],
    description: 'The latest first. Of one that runs, its last report.',
  })
  operations!: OperationResponse[];
}

export function toOperationResponse(
  { operationId, type, state }: Operation,
  download: { urls?: { readonly file: string; readonly proof: string }; isOver: boolean },
): OperationResponse {
  const { status, message, code, nextDate, createdAt, updatedAt } = state;
  return {
    operationId,
    operationType: type,
    operationStatus: status,
    message: download.isOver ? `${message}; the file was removed` : message,
    metadata: {
      ...(code === null ? {} : { code }),
      ...(download.urls === undefined ? {} : urlsOf(type, download.urls)),
      ...(nextDate === null ? {} : { nextDate }),
    },
    createdAtTimestamp: createdAt,
    updatedAtTimestamp: updatedAt,
  };
}

/** The balances that a proof is about are those of an EVM. */
function urlsOf(type: OperationType, { file, proof }: { file: string; proof: string }) {
  const isProved = type === TRANSACTION_EXPORT_EVM;
  return isProved ? { downloadUrl: file, proofUrl: proof } : { downloadUrl: file };
}

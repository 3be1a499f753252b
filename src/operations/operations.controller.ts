import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import { exportTransactionsBody, idempotencyKeyHeader } from './dto/export-transactions.openapi.js';
import {
  type ExportTransactionsRequest,
  ExportTransactionsRequestSchema,
  IdempotencyKeySchema,
  type OperationParameter,
  OperationParameterSchema,
} from './dto/export-transactions.request.js';
import { OperationResponse } from './dto/operation.response.js';
import { OperationsService } from './operations.service.js';
import type { RequestOrigin } from './base-url.js';
import { IdempotencyKey, Origin } from './request.decorators.js';

@ApiTags('operations')
@Controller({ path: 'operations', version: '1' })
export class OperationsController {
  constructor(private readonly operations: OperationsService) {}

  @Post('transactions::export')
  @ApiOperation({
    summary: 'Create transaction export operation',
    description:
      'Starts an export of all movements of the addresses, and answers at once. The operation tells when its CSV file can be downloaded.',
  })
  @ApiHeader(idempotencyKeyHeader)
  @ApiBody({ schema: exportTransactionsBody })
  @ApiCreatedResponse({ type: OperationResponse })
  @ApiErrors()
  exportTransactions(
    @Origin() origin: RequestOrigin,
    @IdempotencyKey(new ZodPipe(IdempotencyKeySchema)) idempotencyKey: string | undefined,
    @Body(new ZodPipe(ExportTransactionsRequestSchema)) request: ExportTransactionsRequest,
  ): Promise<OperationResponse> {
    return this.operations.exportTransactions({ request, idempotencyKey, origin });
  }

  @Get(':operationId')
  @ApiOperation({ summary: 'Get operation', description: 'Where an operation stands, or how it has ended.' })
  @ApiParam({ name: 'operationId', format: 'uuid' })
  @ApiOkResponse({ type: OperationResponse })
  @ApiErrors()
  get(
    @Origin() origin: RequestOrigin,
    @Param(new ZodPipe(OperationParameterSchema)) { operationId }: OperationParameter,
  ): Promise<OperationResponse> {
    return this.operations.get({ operationId, origin });
  }
}

import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../api-keys/caller.js';
import { CurrentCaller } from '../api-keys/current-caller.decorator.js';
import { NoQuery } from '../http/no-query.decorator.js';
import { BodyOf, PathOf } from '../http/request.decorators.js';
import {
  type ExportTransactionsRequest,
  ExportTransactionsRequestSchema,
  type OperationParameter,
  OperationParameterSchema,
} from './dto/export-transactions.request.js';
import { OperationResponse } from './dto/operation.response.js';
import { OperationsService } from './operations.service.js';
import type { RequestOrigin } from './base-url.js';
import { IdempotencyKey, Origin } from './request.decorators.js';

/** Short exports end within it, and long ones are asked about for hours. */
const ASK_AGAIN_SECONDS = 2;

@ApiTags('operations')
@Controller({ path: 'operations', version: '1' })
export class OperationsController {
  constructor(private readonly operations: OperationsService) {}

  @Post('transactions::export')
  @NoQuery()
  @ApiOperation({
    operationId: 'exportTransactions',
    summary: 'Create transaction export operation',
    description:
      'Starts an export of all movements of the addresses, and answers at once; an equal one of yours that runs is answered with. The operation tells when its CSV file can be downloaded.',
  })
  @ApiCreatedResponse({
    type: OperationResponse,
    description: 'The operation, just begun or running already.',
    headers: {
      location: { description: 'path of the operation', schema: { type: 'string' } },
      'idempotent-replayed': {
        description: 'true when the Idempotency-Key had started the operation before',
        schema: { type: 'string', enum: ['true'] },
      },
    },
  })
  async exportTransactions(
    @Origin() origin: RequestOrigin,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @BodyOf(ExportTransactionsRequestSchema) request: ExportTransactionsRequest,
    @CurrentCaller() caller: Caller | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OperationResponse> {
    const { operation, isReplay } = await this.operations.exportTransactions({
      request,
      idempotencyKey,
      origin,
      caller,
    });
    void reply.header('location', `/v1/operations/${operation.operationId}`);
    if (isReplay) void reply.header('idempotent-replayed', 'true');
    return operation;
  }

  @Get(':operationId')
  @NoQuery()
  @ApiOperation({
    operationId: 'getOperation',
    summary: 'Get operation',
    description: 'Where an operation stands, or how it has ended.',
  })
  @ApiOkResponse({
    type: OperationResponse,
    description: 'The operation.',
    headers: {
      'retry-after': {
        description: 'seconds after which to ask again, while it is running',
        schema: { type: 'integer' },
      },
    },
  })
  async get(
    @Origin() origin: RequestOrigin,
    @PathOf(OperationParameterSchema) { operationId }: OperationParameter,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OperationResponse> {
    const operation = await this.operations.get({ operationId, origin });
    if (operation.operationStatus === 'RUNNING') void reply.header('retry-after', ASK_AGAIN_SECONDS);
    return operation;
  }
}

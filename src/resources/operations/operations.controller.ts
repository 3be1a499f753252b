import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  type ApiResponseOptions,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../access/keys/caller.js';
import { CurrentCaller } from '../../access/keys/current-caller.decorator.js';
import { PriceOfAnswer, type SetPrice } from '../../access/limits/price-of-answer.decorator.js';
import { unitsOfExport } from '../../access/limits/units.js';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { Private } from '../../platform/http/schemas/private.decorator.js';
import { BodyOf, PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { type ExportLedgerRequest, ExportLedgerRequestSchema } from './dto/export-ledger.request.js';
import {
  type ExportTransactionsRequest,
  ExportTransactionsRequestSchema,
  type OperationParameter,
  OperationParameterSchema,
} from './dto/export-transactions.request.js';
import { type ListOperationsQuery, ListOperationsQuerySchema } from './dto/list-operations.request.js';
import { ListOperationsResponse, OperationResponse } from './dto/operation.response.js';
import { OperationsService } from './operations.service.js';
import type { RequestOrigin } from './base-url.js';
import { IdempotencyKey, Origin } from './request.decorators.js';

/** Short exports end within it, and long ones are asked about for hours. */
const ASK_AGAIN_SECONDS = 2;

const STARTED: ApiResponseOptions = {
  type: OperationResponse,
  description: 'The operation, newly started or already running.',
  headers: {
    location: { description: 'path of the operation', schema: { type: 'string' } },
    'idempotent-replayed': {
      description:
        'true if an earlier request started the operation: one with this Idempotency-Key, or an equal one while it runs',
      schema: { type: 'string', enum: ['true'] },
    },
  },
};

@ApiTags('operations')
@Controller({ path: 'operations', version: '1' })
export class OperationsController {
  constructor(private readonly operations: OperationsService) {}

  @Post('transactions::export')
  @NoQuery()
  @Private()
  @ApiOperation({
    operationId: 'exportTransactions',
    summary: 'Create transaction export operation',
    description:
      'Starts an export of all transfers of the addresses, and answers at once. If you already have an equal export running, it is returned instead. The operation shows when its CSV file can be downloaded.',
  })
  @ApiCreatedResponse(STARTED)
  exportTransactions(
    @Origin() origin: RequestOrigin,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @BodyOf(ExportTransactionsRequestSchema) request: ExportTransactionsRequest,
    @CurrentCaller() caller: Caller | undefined,
    @PriceOfAnswer() price: SetPrice,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OperationResponse> {
    price(unitsOfExport(request.options.signatures.length));
    return this.start(request, { idempotencyKey, origin, caller }, reply);
  }

  @Post('ledger::export')
  @NoQuery()
  @Private()
  @ApiOperation({
    operationId: 'exportLedger',
    summary: 'Create ledger export operation',
    description:
      'Starts an export of what the addresses, as one account, hold on the P- and the X-chain and exchange with the C-chain: rewards when they are paid, stakes, imports and exports with the transaction on the other chain, transfers and fees. Answers at once, as exportTransactions does.',
  })
  @ApiCreatedResponse(STARTED)
  exportLedger(
    @Origin() origin: RequestOrigin,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @BodyOf(ExportLedgerRequestSchema) request: ExportLedgerRequest,
    @CurrentCaller() caller: Caller | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OperationResponse> {
    return this.start(request, { idempotencyKey, origin, caller }, reply);
  }

  private async start(
    request: ExportTransactionsRequest | ExportLedgerRequest,
    asked: Parameters<OperationsService['export']>[1],
    reply: FastifyReply,
  ): Promise<OperationResponse> {
    const { operation, isReplay } = await this.operations.export(request, asked);
    void reply.header('location', `/v1/operations/${operation.operationId}`);
    if (isReplay) void reply.header('idempotent-replayed', 'true');
    return operation;
  }

  @Get()
  @Private()
  @ApiSecurity('apiKey')
  @ApiOperation({
    operationId: 'listOperations',
    summary: 'List operations',
    description:
      'The operations that keys of the same organisation have started, as far back as they are kept. A key is needed.',
  })
  @ApiOkResponse({ type: ListOperationsResponse, description: 'One page.' })
  list(
    @Origin() origin: RequestOrigin,
    @QueryOf(ListOperationsQuerySchema) query: ListOperationsQuery,
    @CurrentCaller() caller: Caller | undefined,
  ): Promise<ListOperationsResponse> {
    return this.operations.list(query, { origin, caller });
  }

  @Delete(':operationId')
  @NoQuery()
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteOperation',
    summary: 'Cancel or remove operation',
    description:
      'Cancels an operation that is running; of one that has ended, removes the file, after which its download links no longer work. ' +
      'An operation that was started without a key can only be removed from the same address. Repeating the request changes nothing.',
  })
  @ApiNoContentResponse({
    description: 'It is or will be so in a moment; the operation itself remains on record for some time.',
  })
  async remove(
    @PathOf(OperationParameterSchema) { operationId }: OperationParameter,
    @CurrentCaller() caller: Caller | undefined,
  ): Promise<void> {
    await this.operations.remove(operationId, caller);
  }

  @Get(':operationId')
  @NoQuery()
  @Private()
  @ApiOperation({
    operationId: 'getOperation',
    summary: 'Get operation',
    description:
      'The progress of an operation, or how it ended. One that was started with a key is found by the keys of the same organisation only.',
  })
  @ApiOkResponse({
    type: OperationResponse,
    description: 'The operation.',
    headers: {
      'retry-after': {
        description: 'seconds after which to ask again, while the operation is running',
        schema: { type: 'integer' },
      },
    },
  })
  async get(
    @Origin() origin: RequestOrigin,
    @PathOf(OperationParameterSchema) { operationId }: OperationParameter,
    @CurrentCaller() caller: Caller | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OperationResponse> {
    const operation = await this.operations.get(operationId, { origin, caller });
    if (operation.operationStatus === 'RUNNING') void reply.header('retry-after', ASK_AGAIN_SECONDS);
    return operation;
  }
}

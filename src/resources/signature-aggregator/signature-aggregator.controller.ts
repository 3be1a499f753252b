import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../../access/keys/caller.js';
import { PriceOfAnswer, type SetPrice } from '../../access/limits/price-of-answer.decorator.js';
import { CurrentCaller } from '../../access/keys/current-caller.decorator.js';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { BodyOf, PathOf } from '../../platform/http/schemas/request.decorators.js';
import { RequestId } from '../../platform/http/requests/request-id.js';
import { type NetworkParameter, NetworkParameterSchema } from '../../platform/http/schemas/network.schema.js';
import {
  type AggregateSignaturesRequest,
  AggregateSignaturesRequestSchema,
  type TransactionParameter,
  TransactionParameterSchema,
} from './dto/aggregate-signatures.request.js';
import {
  AGGREGATE_BY_TRANSACTION_DESCRIPTION,
  AGGREGATE_DESCRIPTION,
} from './dto/aggregate-signatures.descriptions.js';
import { AggregatedSignatureResponse } from './dto/aggregated-signature.response.js';
import { PricedAggregations } from './priced-aggregations.js';
import { SignatureAggregatorService } from './signature-aggregator.service.js';
import { originOf } from './message/requested-messages.js';

@ApiTags('signature aggregator')
@Controller({ path: 'signatureAggregator/:network', version: '1' })
export class SignatureAggregatorController {
  constructor(
    private readonly aggregator: SignatureAggregatorService,
    private readonly aggregations: PricedAggregations,
  ) {}

  @Post('aggregateSignatures')
  @NoQuery()
  @HttpCode(201)
  @ApiOperation({
    operationId: 'aggregateSignatures',
    summary: 'Aggregate signatures',
    description: AGGREGATE_DESCRIPTION,
  })
  @ApiCreatedResponse({ type: AggregatedSignatureResponse, description: 'The signed message.' })
  async aggregate(
    @PathOf(NetworkParameterSchema) { network }: NetworkParameter,
    @BodyOf(AggregateSignaturesRequestSchema) body: AggregateSignaturesRequest,
    @RequestId() requestId: string,
    @CurrentCaller() caller: Caller | undefined,
    @PriceOfAnswer() price: SetPrice,
  ): Promise<AggregatedSignatureResponse> {
    const origin = originOf(requestId, caller);
    return this.aggregations.during({ caller, price }, () =>
      this.aggregator.aggregate({ network, ...body }, origin),
    );
  }

  @Get('aggregateSignatures/:txHash')
  @NoQuery()
  @ApiOperation({
    operationId: 'getAggregatedSignatures',
    summary: 'Get aggregated signatures',
    description: AGGREGATE_BY_TRANSACTION_DESCRIPTION,
  })
  @ApiOkResponse({ type: AggregatedSignatureResponse, description: 'The signed message.' })
  async aggregateByTransaction(
    @PathOf(TransactionParameterSchema) transaction: TransactionParameter,
    @RequestId() requestId: string,
    @CurrentCaller() caller: Caller | undefined,
    @PriceOfAnswer() price: SetPrice,
  ): Promise<AggregatedSignatureResponse> {
    const origin = originOf(requestId, caller);
    return this.aggregations.during({ caller, price }, () =>
      this.aggregator.aggregateByTransaction(transaction, origin),
    );
  }
}

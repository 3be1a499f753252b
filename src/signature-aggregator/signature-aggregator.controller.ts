import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../api-keys/caller.js';
import { CurrentCaller } from '../api-keys/current-caller.decorator.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ApiNetwork } from '../http/api-parameters.decorator.js';
import { NoQuery } from '../http/no-query.decorator.js';
import { BodyPipe } from '../http/pipes/body.pipe.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import { RequestId } from '../http/request-id.js';
import { type NetworkParameter, NetworkParameterSchema } from '../http/schemas/network.schema.js';
import { AggregationRequests } from './aggregation-requests.js';
import {
  type AggregateSignaturesRequest,
  AggregateSignaturesRequestSchema,
  type TransactionParameter,
  TransactionParameterSchema,
} from './dto/aggregate-signatures.request.js';
import {
  AGGREGATE_BY_TRANSACTION_DESCRIPTION,
  AGGREGATE_DESCRIPTION,
  aggregateSignaturesBody,
  transactionHash,
} from './dto/aggregate-signatures.openapi.js';
import { AggregatedSignatureResponse } from './dto/aggregated-signature.response.js';
import { WaitingAggregations } from './waiting-aggregations.js';

@ApiTags('signature aggregator')
@Controller({ path: 'signatureAggregator/:network', version: '1' })
export class SignatureAggregatorController {
  constructor(
    private readonly requests: AggregationRequests,
    private readonly waiting: WaitingAggregations,
  ) {}

  @Post('aggregateSignatures')
  @NoQuery()
  @HttpCode(201)
  @ApiOperation({ summary: 'Aggregate signatures', description: AGGREGATE_DESCRIPTION })
  @ApiNetwork()
  @ApiBody({ schema: aggregateSignaturesBody })
  @ApiCreatedResponse({ type: AggregatedSignatureResponse })
  @ApiErrors()
  async aggregate(
    @Param(new ZodPipe(NetworkParameterSchema)) { network }: NetworkParameter,
    @Body(new BodyPipe(AggregateSignaturesRequestSchema)) body: AggregateSignaturesRequest,
    @RequestId() requestId: string,
    @CurrentCaller() caller: Caller | undefined,
  ): Promise<AggregatedSignatureResponse> {
    const aggregate = () => this.requests.aggregate({ network, ...body, requestId });
    return { signedMessage: await this.waiting.during(caller, aggregate) };
  }

  @Get('aggregateSignatures/:txHash')
  @NoQuery()
  @ApiOperation({
    summary: 'Get aggregated signatures',
    description: AGGREGATE_BY_TRANSACTION_DESCRIPTION,
  })
  @ApiNetwork()
  @ApiParam({ name: 'txHash', schema: transactionHash })
  @ApiOkResponse({ type: AggregatedSignatureResponse })
  @ApiErrors()
  async aggregateByTransaction(
    @Param(new ZodPipe(TransactionParameterSchema)) transaction: TransactionParameter,
    @RequestId() requestId: string,
    @CurrentCaller() caller: Caller | undefined,
  ): Promise<AggregatedSignatureResponse> {
    const aggregate = () => this.requests.aggregateByTransaction({ ...transaction, requestId });
    return { signedMessage: await this.waiting.during(caller, aggregate) };
  }
}

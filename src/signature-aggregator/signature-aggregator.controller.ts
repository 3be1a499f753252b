import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
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

@ApiTags('signature aggregator')
@Controller({ path: 'signatureAggregator/:network', version: '1' })
export class SignatureAggregatorController {
  constructor(private readonly requests: AggregationRequests) {}

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
  ): Promise<AggregatedSignatureResponse> {
    return { signedMessage: await this.requests.aggregate({ network, ...body, requestId }) };
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
  ): Promise<AggregatedSignatureResponse> {
    return { signedMessage: await this.requests.aggregateByTransaction({ ...transaction, requestId }) };
  }
}

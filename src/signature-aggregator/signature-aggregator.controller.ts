import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import type { NetworkName } from '../config/config.module.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import { NetworkSchema } from '../http/schemas/network.schema.js';
import {
  type AggregateSignaturesRequest,
  AggregateSignaturesRequestSchema,
} from './dto/aggregate-signatures.request.js';
import { aggregateSignaturesBody } from './dto/aggregate-signatures.openapi.js';
import { AggregatedSignatureResponse } from './dto/aggregated-signature.response.js';
import { SignatureAggregatorService } from './signature-aggregator.service.js';

const NetworkParameterSchema = z.object({ network: NetworkSchema });

@ApiTags('signature aggregator')
@Controller({ path: 'signatureAggregator/:network', version: '1' })
export class SignatureAggregatorController {
  constructor(private readonly signatureAggregator: SignatureAggregatorService) {}

  @Post('aggregateSignatures')
  @HttpCode(201)
  @ApiOperation({
    summary: 'Aggregate signatures',
    description:
      'Gathers validator signatures for a Warp message until the quorum plus the buffer, and returns the signed message.',
  })
  @ApiParam({ name: 'network', enum: ['mainnet', 'fuji', 'testnet'] })
  @ApiBody({ schema: aggregateSignaturesBody })
  @ApiCreatedResponse({ type: AggregatedSignatureResponse })
  @ApiErrors()
  async aggregate(
    @Param(new ZodPipe(NetworkParameterSchema)) { network }: { network: NetworkName },
    @Body(new ZodPipe(AggregateSignaturesRequestSchema)) body: AggregateSignaturesRequest,
  ): Promise<AggregatedSignatureResponse> {
    return { signedMessage: await this.signatureAggregator.aggregate({ network, ...body }) };
  }
}

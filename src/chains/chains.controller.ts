import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ApiQueryParameters } from '../http/api-parameters.decorator.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import { ChainsService } from './chains.service.js';
import { ListChainsResponse } from './dto/chain.response.js';
import { type ListChainsQuery, ListChainsQuerySchema } from './dto/list-chains.request.js';

@ApiTags('chains')
@Controller({ path: 'chains', version: '1' })
export class ChainsController {
  constructor(private readonly chains: ChainsService) {}

  @Get()
  @ApiOperation({
    summary: 'List EVM chains',
    description:
      'The EVM chains that this service is configured for, and what it has indexed of each, from when to when. What an export ' +
      'needs and is not indexed is read from the nodes, except for internal transfers of blocks that no node can trace.',
  })
  @ApiQueryParameters({
    network: {
      type: 'string',
      enum: ['mainnet', 'fuji', 'testnet'],
      description: 'Only the chains of this network.',
    },
  })
  @ApiOkResponse({ type: ListChainsResponse })
  @ApiErrors()
  list(@Query(new ZodPipe(ListChainsQuerySchema)) query: ListChainsQuery): Promise<ListChainsResponse> {
    return this.chains.list(query);
  }
}

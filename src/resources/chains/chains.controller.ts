import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { ChainsService } from './chains.service.js';
import { ListChainsResponse } from './dto/chain.response.js';
import { type ListChainsQuery, ListChainsQuerySchema } from './dto/list-chains.request.js';

@ApiTags('chains')
@Controller({ path: 'chains', version: '1' })
export class ChainsController {
  constructor(private readonly chains: ChainsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listChains',
    summary: 'List EVM chains',
    description:
      'The configured EVM chains, with the ranges of blocks that are indexed for each. If an export needs blocks that are ' +
      'not indexed, they are read from the nodes, except for internal transfers in blocks that no node can trace.',
  })
  @ApiOkResponse({ type: ListChainsResponse, description: 'All chains, in the order of the configuration.' })
  list(@QueryOf(ListChainsQuerySchema) query: ListChainsQuery): Promise<ListChainsResponse> {
    return this.chains.list(query);
  }
}

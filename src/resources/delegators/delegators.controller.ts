import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { type NetworkParameter, NetworkParameterSchema } from '../../platform/http/schemas/network.schema.js';
import { DelegatorsService } from './delegators.service.js';
import { ListDelegatorsResponse } from './dto/delegator.response.js';
import { type ListDelegatorsQuery, ListDelegatorsQuerySchema } from './dto/list-delegators.request.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/delegators', version: '1' })
export class DelegatorsController {
  constructor(private readonly delegators: DelegatorsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listDelegators',
    summary: 'List delegators',
    description:
      'Sorted by start, newest first by default. A delegation is never renewed: a delegation to an auto-renewed validation ends within the cycle in which it began, with its own reward. The share that the validator takes of that reward is paid out or restaked when the cycle ends.',
  })
  @ApiOkResponse({ type: ListDelegatorsResponse, description: 'A page of delegations.' })
  list(
    @PathOf(NetworkParameterSchema) { network }: NetworkParameter,
    @QueryOf(ListDelegatorsQuerySchema) query: ListDelegatorsQuery,
  ): Promise<ListDelegatorsResponse> {
    return this.delegators.list({ network, ...query });
  }
}

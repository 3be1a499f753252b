import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type NetworkParameter, NetworkParameterSchema } from '../../platform/http/schemas/network.schema.js';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { PathOf } from '../../platform/http/schemas/request.decorators.js';
import { NetworkDetailsResponse } from './network-details.response.js';
import { NetworkDetailsService } from './network-details.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network', version: '1' })
export class NetworkDetailsController {
  constructor(private readonly details: NetworkDetailsService) {}

  @Get()
  @NoQuery()
  @ApiOperation({
    operationId: 'getNetworkDetails',
    summary: 'Get totals of a network',
    description: 'Numbers and stake of the validators and delegations of the primary network.',
  })
  @ApiOkResponse({ type: NetworkDetailsResponse, description: 'The totals.' })
  get(@PathOf(NetworkParameterSchema) { network }: NetworkParameter): Promise<NetworkDetailsResponse> {
    return this.details.get(network);
  }
}

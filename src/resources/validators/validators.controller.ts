import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { type NetworkParameter, NetworkParameterSchema } from '../../platform/http/schemas/network.schema.js';
import { type ListValidatorsQuery, ListValidatorsQuerySchema } from './dto/list-validators.request.js';
import {
  type ListNodeValidationsPath,
  ListNodeValidationsPathSchema,
  type ListNodeValidationsQuery,
  ListNodeValidationsQuerySchema,
} from './dto/list-node-validations.request.js';
import { ListNodeValidationsResponse, ListValidatorsResponse } from './dto/validator.response.js';
import { ValidatorsService } from './validators.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/validators', version: '1' })
export class ValidatorsController {
  constructor(private readonly validators: ValidatorsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listValidators',
    summary: 'List validators',
    description: [
      'Validators of all subnets and statuses unless filtered, sorted by the block in which they were added, newest first, unless requested otherwise.',
      'L1 validators are not included: their stake is held by the L1, not on the P-chain.',
      'An omitted bound filters nothing. A bound on uptime, capacity, time or fee excludes every validation without that value: completed and removed validations have no uptime, capacity or time remaining; pending ones have no uptime; subnet validations have no fee and no capacity.',
    ].join('\n\n'),
  })
  @ApiOkResponse({ type: ListValidatorsResponse, description: 'A page of validators.' })
  list(
    @PathOf(NetworkParameterSchema) { network }: NetworkParameter,
    @QueryOf(ListValidatorsQuerySchema) query: ListValidatorsQuery,
  ): Promise<ListValidatorsResponse> {
    return this.validators.list({ network, ...query });
  }

  @Get(':nodeId')
  @ApiOperation({
    operationId: 'listValidationsOfNode',
    summary: 'List the validations of a node',
    description: 'All validations of one node, on any subnet, sorted by the block in which they were added.',
  })
  @ApiOkResponse({ type: ListNodeValidationsResponse, description: 'A page of validations.' })
  listOfNode(
    @PathOf(ListNodeValidationsPathSchema) path: ListNodeValidationsPath,
    @QueryOf(ListNodeValidationsQuerySchema) query: ListNodeValidationsQuery,
  ): Promise<ListNodeValidationsResponse> {
    return this.validators.listOfNode({ ...path, ...query });
  }
}

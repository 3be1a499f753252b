import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf, QueryOf } from '../http/request.decorators.js';
import { type NetworkParameter, NetworkParameterSchema } from '../http/schemas/network.schema.js';
import { type ListValidatorsQuery, ListValidatorsQuerySchema } from './dto/list-validators.request.js';
import { ListValidatorsResponse } from './dto/validator.response.js';
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
      'Of all subnets and statuses unless filtered; by the block that they were added in, the newest first, unless sorted otherwise.',
      'Validators of L1s are not among them: their stake lies with the L1, not on the P-chain.',
      'A bound that is left out filters nothing. A bound on uptime, capacity, time or fee leaves out everything without that value: completed and removed validations have neither uptime nor capacity nor time remaining, pending ones no uptime, subnet validations no fee and no capacity.',
    ].join('\n\n'),
  })
  @ApiOkResponse({ type: ListValidatorsResponse, description: 'A page of validators.' })
  list(
    @PathOf(NetworkParameterSchema) { network }: NetworkParameter,
    @QueryOf(ListValidatorsQuerySchema) query: ListValidatorsQuery,
  ): Promise<ListValidatorsResponse> {
    return this.validators.list({ network, ...query });
  }
}

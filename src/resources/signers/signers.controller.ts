import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { PathOf } from '../../platform/http/schemas/request.decorators.js';
import { type SubnetParameter, SubnetParameterSchema } from './dto/signers.request.js';
import { SignersResponse } from './dto/signers.response.js';
import { SignersService } from './signers.service.js';

@ApiTags('signature aggregator')
@Controller({ path: 'signatureAggregator/:network/subnets/:subnetId/signers', version: '1' })
export class SignersController {
  constructor(private readonly signers: SignersService) {}

  @Get()
  @NoQuery()
  @ApiOperation({
    operationId: 'getSigners',
    summary: 'Who of a subnet would sign',
    description:
      "Each validator of the subnet's set at the proposed height, and what keeps it from signing: what the service's processes have " +
      'observed of their connections and answers, up to ten seconds old. The share that would sign now is what is not known to fail; ' +
      'of the validators of large sets only the heaviest are asked for each message. A 404 if there is no such subnet.',
  })
  @ApiOkResponse({ type: SignersResponse, description: 'The validators, and what they add up to.' })
  get(@PathOf(SubnetParameterSchema) subnet: SubnetParameter): Promise<SignersResponse> {
    return this.signers.get(subnet);
  }
}

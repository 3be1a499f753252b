import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { JSON_CONTENT_TYPE, stringifyLossless } from '../../platform/http/adapter/lossless-json.js';
import { type NetworkParameter, NetworkParameterSchema } from '../../platform/http/schemas/network.schema.js';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { ListL1ValidatorsResponse } from './dto/l1-validator.response.js';
import { type ListL1ValidatorsQuery, ListL1ValidatorsQuerySchema } from './dto/list-l1-validators.request.js';
import { L1ValidatorsService } from './l1-validators.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/l1Validators', version: '1' })
export class L1ValidatorsController {
  constructor(private readonly validators: L1ValidatorsService) {}

  @Get()
  @Header('content-type', JSON_CONTENT_TYPE)
  @ApiOperation({
    operationId: 'listL1Validators',
    summary: 'List validators of L1s',
    description:
      'Newest first. Each pays a continuous fee from its balance; one without balance is inactive, and one without weight was removed. Balances are those after the block `blockHeight`.',
  })
  @ApiOkResponse({ type: ListL1ValidatorsResponse, description: 'A page of validators.' })
  async list(
    @PathOf(NetworkParameterSchema) { network }: NetworkParameter,
    @QueryOf(ListL1ValidatorsQuerySchema) query: ListL1ValidatorsQuery,
  ): Promise<string> {
    return stringifyLossless(await this.validators.list({ network, ...query }));
  }
}

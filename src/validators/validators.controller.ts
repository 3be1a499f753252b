import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import { type NetworkParameter, NetworkParameterSchema } from '../http/schemas/network.schema.js';
import { ApiNetwork } from '../http/api-parameters.decorator.js';
import { type ListValidatorsQuery, ListValidatorsQuerySchema } from './dto/list-validators.request.js';
import { ApiListValidatorsQuery } from './dto/list-validators.openapi.js';
import { ListValidatorsResponse } from './dto/validator.response.js';
import { ValidatorsService } from './validators.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/validators', version: '1' })
export class ValidatorsController {
  constructor(private readonly validators: ValidatorsService) {}

  @Get()
  @ApiOperation({ summary: 'List validators', description: 'Of all subnets and statuses unless filtered.' })
  @ApiNetwork()
  @ApiListValidatorsQuery()
  @ApiOkResponse({ type: ListValidatorsResponse })
  @ApiErrors()
  list(
    @Param(new ZodPipe(NetworkParameterSchema)) { network }: NetworkParameter,
    @Query(new ZodPipe(ListValidatorsQuerySchema)) query: ListValidatorsQuery,
  ): Promise<ListValidatorsResponse> {
    return this.validators.list({ network, ...query });
  }
}

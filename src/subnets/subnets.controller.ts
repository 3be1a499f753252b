import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ApiNetwork, ApiQueryParameters, PAGING, SORT_ORDER } from '../http/api-parameters.decorator.js';
import { JSON_CONTENT_TYPE, stringifyLossless } from '../http/lossless-json.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import { type NetworkParameter, NetworkParameterSchema } from '../http/schemas/network.schema.js';
import { type ListSubnetsQuery, ListSubnetsQuerySchema, PAGE_SIZES } from './dto/list-subnets.request.js';
import { ListSubnetsResponse } from './dto/subnet.response.js';
import { SubnetsService } from './subnets.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/subnets', version: '1' })
export class SubnetsController {
  constructor(private readonly subnets: SubnetsService) {}

  @Get()
  @Header('content-type', JSON_CONTENT_TYPE)
  @ApiOperation({
    summary: 'List subnets',
    description:
      'By the block that created them, the newest first. A page ends early where its genesis data would pass 8 MiB.',
  })
  @ApiNetwork()
  @ApiQueryParameters({ ...PAGING(PAGE_SIZES), ...SORT_ORDER })
  @ApiOkResponse({ type: ListSubnetsResponse })
  @ApiErrors()
  async list(
    @Param(new ZodPipe(NetworkParameterSchema)) { network }: NetworkParameter,
    @Query(new ZodPipe(ListSubnetsQuerySchema)) query: ListSubnetsQuery,
  ): Promise<string> {
    return stringifyLossless(await this.subnets.list({ network, ...query }));
  }
}

import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { JSON_CONTENT_TYPE, stringifyLossless } from '../../platform/http/adapter/lossless-json.js';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { type NetworkParameter, NetworkParameterSchema } from '../../platform/http/schemas/network.schema.js';
import {
  type GetSubnetPath,
  GetSubnetPathSchema,
  type ListSubnetsQuery,
  ListSubnetsQuerySchema,
} from './dto/list-subnets.request.js';
import { ListSubnetsResponse, SubnetResponse } from './dto/subnet.response.js';
import { SubnetsService } from './subnets.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/subnets', version: '1' })
export class SubnetsController {
  constructor(private readonly subnets: SubnetsService) {}

  @Get()
  @Header('content-type', JSON_CONTENT_TYPE)
  @ApiOperation({
    operationId: 'listSubnets',
    summary: 'List subnets',
    description:
      'Sorted by the block that created them, newest first by default. A page ends early if its genesis data would exceed 8 MiB, or its blockchains 20,000; of a subnet that has more by itself, the last blockchains come without it, or are in the list of blockchains alone.',
  })
  @ApiOkResponse({ type: ListSubnetsResponse, description: 'A page of subnets.' })
  async list(
    @PathOf(NetworkParameterSchema) { network }: NetworkParameter,
    @QueryOf(ListSubnetsQuerySchema) query: ListSubnetsQuery,
  ): Promise<string> {
    return stringifyLossless(await this.subnets.list({ network, ...query }));
  }

  @Get(':subnetId')
  @NoQuery()
  @Header('content-type', JSON_CONTENT_TYPE)
  @ApiOperation({
    operationId: 'getSubnet',
    summary: 'Get a subnet',
    description: 'One subnet, as in the list. The primary network is the subnet whose id is all ones.',
  })
  @ApiOkResponse({ type: SubnetResponse, description: 'The subnet.' })
  async get(@PathOf(GetSubnetPathSchema) path: GetSubnetPath): Promise<string> {
    return stringifyLossless(await this.subnets.get(path));
  }
}

import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { JSON_CONTENT_TYPE, stringifyLossless } from '../../platform/http/adapter/lossless-json.js';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { type NetworkParameter, NetworkParameterSchema } from '../../platform/http/schemas/network.schema.js';
import { BlockchainsService } from './blockchains.service.js';
import { BlockchainDetails, ListBlockchainsResponse } from './dto/blockchain.response.js';
import {
  type GetBlockchainPath,
  GetBlockchainPathSchema,
  type ListBlockchainsQuery,
  ListBlockchainsQuerySchema,
} from './dto/list-blockchains.request.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/blockchains', version: '1' })
export class BlockchainsController {
  constructor(private readonly blockchains: BlockchainsService) {}

  @Get()
  @Header('content-type', JSON_CONTENT_TYPE)
  @ApiOperation({
    operationId: 'listBlockchains',
    summary: 'List blockchains',
    description:
      'Blockchains of all subnets, sorted by the block that created them, newest first by default; those of the genesis are in no block and count as the oldest. A blockchain by itself has its genesis.',
  })
  @ApiOkResponse({ type: ListBlockchainsResponse, description: 'A page of blockchains.' })
  async list(
    @PathOf(NetworkParameterSchema) { network }: NetworkParameter,
    @QueryOf(ListBlockchainsQuerySchema) query: ListBlockchainsQuery,
  ): Promise<string> {
    return stringifyLossless(await this.blockchains.list({ network, ...query }));
  }

  @Get(':blockchainId')
  @NoQuery()
  @Header('content-type', JSON_CONTENT_TYPE)
  @ApiOperation({
    operationId: 'getBlockchain',
    summary: 'Get a blockchain',
    description: 'One blockchain of any subnet, with its genesis.',
  })
  @ApiOkResponse({ type: BlockchainDetails, description: 'The blockchain.' })
  async get(@PathOf(GetBlockchainPathSchema) path: GetBlockchainPath): Promise<string> {
    return stringifyLossless(await this.blockchains.get(path));
  }
}

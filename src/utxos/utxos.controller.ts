import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ApiNetwork, ApiQueryParameters, PAGING, SORT_ORDER } from '../http/api-parameters.decorator.js';
import { JSON_CONTENT_TYPE, stringifyLossless } from '../http/lossless-json.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import {
  type ListUtxosPath,
  ListUtxosPathSchema,
  type ListUtxosQuery,
  ListUtxosQuerySchema,
  PAGE_SIZES,
} from './dto/list-utxos.request.js';
import { ListUtxosResponse } from './dto/utxo.response.js';
import { UTXO_SORT_KEYS } from './utxo-list.js';
import { UtxosService } from './utxos.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/blockchains/:blockchainId/utxos', version: '1' })
export class UtxosController {
  constructor(private readonly utxos: UtxosService) {}

  @Get()
  @Header('content-type', JSON_CONTENT_TYPE)
  @ApiOperation({
    summary: 'List UTXOs',
    description: [
      'UTXOs that were created on the chain or can be consumed on it, of owners among the addresses; staked ones included.',
      'What was exported waits, unspent, in the list of the chain that can import it; in that of the chain that created it, it is spent. Each list is as complete as the chains are indexed: one that is not indexed creates and consumes nothing here.',
    ].join('\n\n'),
  })
  @ApiNetwork()
  @ApiParam({ name: 'blockchainId', description: 'p-chain, x-chain, c-chain, or the id of one of them.' })
  @ApiQueryParameters({
    addresses: {
      type: 'string',
      description: 'Comma-separated, at most 64. Listed is what their owners can consume together.',
    },
    ...PAGING(PAGE_SIZES),
    assetId: { type: 'string', description: 'On the X-chain only; elsewhere a 400.' },
    minUtxoAmount: { type: 'number', minimum: 0, default: 0, description: 'nAVAX.' },
    includeSpent: { type: 'boolean', default: false },
    sortBy: { type: 'string', enum: [...UTXO_SORT_KEYS], default: 'timestamp' },
    ...SORT_ORDER,
  })
  @ApiOkResponse({ type: ListUtxosResponse })
  @ApiErrors()
  async list(
    @Param(new ZodPipe(ListUtxosPathSchema)) path: ListUtxosPath,
    @Query(new ZodPipe(ListUtxosQuerySchema)) query: ListUtxosQuery,
  ): Promise<string> {
    return stringifyLossless(await this.utxos.list({ ...path, ...query }));
  }
}

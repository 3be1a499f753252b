import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { JSON_CONTENT_TYPE, stringifyLossless } from '../http/lossless-json.js';
import { PathOf, QueryOf } from '../http/request.decorators.js';
import {
  type ListUtxosPath,
  ListUtxosPathSchema,
  type ListUtxosQuery,
  ListUtxosQuerySchema,
} from './dto/list-utxos.request.js';
import { ListUtxosResponse } from './dto/utxo.response.js';
import { UtxosService } from './utxos.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/blockchains/:blockchainId/utxos', version: '1' })
export class UtxosController {
  constructor(private readonly utxos: UtxosService) {}

  @Get()
  @Header('content-type', JSON_CONTENT_TYPE)
  @ApiOperation({
    operationId: 'listUtxos',
    summary: 'List UTXOs',
    description: [
      'UTXOs that were created on the chain or can be consumed on it, of owners among the addresses; staked ones included.',
      'What was exported waits, unspent, in the list of the chain that can import it; in that of the chain that created it, it is spent. Each list is as complete as the chains are indexed: one that is not indexed creates and consumes nothing here.',
    ].join('\n\n'),
  })
  @ApiOkResponse({ type: ListUtxosResponse, description: 'A page of UTXOs.' })
  async list(
    @PathOf(ListUtxosPathSchema) path: ListUtxosPath,
    @QueryOf(ListUtxosQuerySchema) query: ListUtxosQuery,
  ): Promise<string> {
    return stringifyLossless(await this.utxos.list({ ...path, ...query }));
  }
}

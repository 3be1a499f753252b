import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { JSON_CONTENT_TYPE, stringifyLossless } from '../../platform/http/adapter/lossless-json.js';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { BalancesService } from './balances.service.js';
import { GetBalancesResponse } from './dto/balance.response.js';
import { type GetBalancesQuery, GetBalancesQuerySchema } from './dto/get-balances.request.js';
import {
  type PrimaryChainPath,
  PrimaryChainPathSchema,
  type ListUtxosQuery,
  ListUtxosQuerySchema,
} from './dto/list-utxos.request.js';
import { ListUtxosResponse } from './utxo.response.js';
import { UtxosService } from './utxos.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/blockchains/:blockchainId', version: '1' })
export class UtxosController {
  constructor(
    private readonly utxos: UtxosService,
    private readonly balances: BalancesService,
  ) {}

  @Get('utxos')
  @Header('content-type', JSON_CONTENT_TYPE)
  @ApiOperation({
    operationId: 'listUtxos',
    summary: 'List UTXOs',
    description: [
      'UTXOs that were created on the chain or can be consumed on it, and are owned by the addresses, including staked ones.',
      'An exported UTXO is listed as unspent by the chain that can import it until it is imported, and as spent by the chain that created it. Each list is only as complete as the indexes of the chains: the transactions of a chain that is not indexed are missing. UTXOs that were exported to a chain before the blocks from which its index begins are left out unless they are known to be consumed, or, on the C-chain, a node says that they still can be.',
    ].join('\n\n'),
  })
  @ApiOkResponse({ type: ListUtxosResponse, description: 'A page of UTXOs.' })
  async list(
    @PathOf(PrimaryChainPathSchema) path: PrimaryChainPath,
    @QueryOf(ListUtxosQuerySchema) query: ListUtxosQuery,
  ): Promise<string> {
    return stringifyLossless(await this.utxos.list({ ...path, ...query }));
  }

  @Get('balances')
  @ApiOperation({
    operationId: 'getBalances',
    summary: 'Get balances of addresses',
    description:
      'Sums of the UTXOs that the list of UTXOs has as unspent, by asset and by what can be done with them; on the C-chain of those alone that wait for their import. NFTs count, their amount is 0.',
  })
  @ApiOkResponse({ type: GetBalancesResponse, description: 'The balances.' })
  getBalances(
    @PathOf(PrimaryChainPathSchema) path: PrimaryChainPath,
    @QueryOf(GetBalancesQuerySchema) query: GetBalancesQuery,
  ): Promise<GetBalancesResponse> {
    return this.balances.get({ ...path, ...query });
  }
}

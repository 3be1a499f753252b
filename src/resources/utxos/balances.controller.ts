import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { BalancesService } from './balances.service.js';
import { GetBalancesResponse } from './dto/balance.response.js';
import { type GetBalancesQuery, GetBalancesQuerySchema } from './dto/get-balances.request.js';
import { type PrimaryChainPath, PrimaryChainPathSchema } from './dto/list-utxos.request.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/blockchains/:blockchainId/balances', version: '1' })
export class BalancesController {
  constructor(private readonly balances: BalancesService) {}

  @Get()
  @ApiOperation({
    operationId: 'getBalances',
    summary: 'Get balances of addresses',
    description:
      'Sums of the UTXOs that the list of UTXOs has as unspent, by asset and by what can be done with them; on the C-chain of those alone that wait for their import. NFTs count, their amount is 0.',
  })
  @ApiOkResponse({ type: GetBalancesResponse, description: 'The balances.' })
  get(
    @PathOf(PrimaryChainPathSchema) path: PrimaryChainPath,
    @QueryOf(GetBalancesQuerySchema) query: GetBalancesQuery,
  ): Promise<GetBalancesResponse> {
    return this.balances.get({ ...path, ...query });
  }
}

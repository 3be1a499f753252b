import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { JSON_CONTENT_TYPE, stringifyLossless } from '../../platform/http/adapter/lossless-json.js';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import {
  type ListStakingTransactionsQuery,
  ListStakingTransactionsQuerySchema,
  type PChainPath,
  PChainPathSchema,
} from './dto/list-staking-transactions.request.js';
import { ListStakingTransactionsResponse } from './dto/staking-transaction.response.js';
import { StakingTransactionsService } from './staking-transactions.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/blockchains/:blockchainId', version: '1' })
export class StakingTransactionsController {
  constructor(private readonly transactions: StakingTransactionsService) {}

  @Get('transactions::listStaking')
  @Header('content-type', JSON_CONTENT_TYPE)
  @ApiOperation({
    operationId: 'listStakingTransactions',
    summary: 'List transactions whose stakes run',
    description: [
      'Transactions that added a validator or a delegation which runs or waits to start, of the primary network and of subnets, without L1s; sorted by their blocks, newest first by default. A transaction leaves the list with the end of its stake: then the lists of validators, delegators and rewards have it.',
      'A page of transactions with very many UTXOs is shorter than pageSize. Fields of the public API that belong to other transactions (`rewardTxHash`, `stakingTxHash`, those of subnets and L1s) are left out.',
    ].join('\n\n'),
  })
  @ApiOkResponse({ type: ListStakingTransactionsResponse, description: 'A page of transactions.' })
  async list(
    @PathOf(PChainPathSchema) { network }: PChainPath,
    @QueryOf(ListStakingTransactionsQuerySchema) query: ListStakingTransactionsQuery,
  ): Promise<string> {
    return stringifyLossless(await this.transactions.list({ network, ...query }));
  }
}

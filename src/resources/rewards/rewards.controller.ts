import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PriceOfAnswer, type SetPrice } from '../../access/limits/price-of-answer.decorator.js';
import { unitsOfNodeRewards } from '../../access/limits/units.js';
import { type NetworkParameter, NetworkParameterSchema } from '../../platform/http/schemas/network.schema.js';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { type ListRewardsQuery, ListRewardsQuerySchema } from './dto/list-rewards.request.js';
import { ListPaidRewardsResponse } from './dto/paid-reward.response.js';
import { ListPendingRewardsResponse } from './dto/pending-reward.response.js';
import { RewardsService } from './rewards.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network', version: '1' })
export class RewardsController {
  constructor(private readonly rewards: RewardsService) {}

  @Get('rewards::listPending')
  @ApiOperation({
    operationId: 'listPendingRewards',
    summary: 'List rewards that are not paid yet',
    description:
      'Rewards of running validations and delegations, by their owners or nodes, of which one must be given; sorted by start, newest first by default.',
  })
  @ApiOkResponse({ type: ListPendingRewardsResponse, description: 'A page of rewards.' })
  listPending(
    @PathOf(NetworkParameterSchema) { network }: NetworkParameter,
    @QueryOf(ListRewardsQuerySchema) query: ListRewardsQuery,
  ): Promise<ListPendingRewardsResponse> {
    return this.rewards.listPending({ network, ...query });
  }

  @Get('rewards')
  @ApiOperation({
    operationId: 'listHistoricalRewards',
    summary: 'List rewards that were paid',
    description:
      'Outputs that rewards were paid with, by their owners or nodes, of which one must be given; sorted by the time of the payment, newest first by default.',
  })
  @ApiOkResponse({ type: ListPaidRewardsResponse, description: 'A page of rewards.' })
  listPaid(
    @PathOf(NetworkParameterSchema) { network }: NetworkParameter,
    @QueryOf(ListRewardsQuerySchema) query: ListRewardsQuery,
    @PriceOfAnswer() price: SetPrice,
  ): Promise<ListPaidRewardsResponse> {
    if (query.nodeIds !== undefined) price(unitsOfNodeRewards(query.nodeIds.length));
    return this.rewards.listPaid({ network, ...query });
  }
}

import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type NetworkParameter, NetworkParameterSchema } from '../../platform/http/schemas/network.schema.js';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import {
  type ListPendingRewardsQuery,
  ListPendingRewardsQuerySchema,
} from './dto/list-pending-rewards.request.js';
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
    @QueryOf(ListPendingRewardsQuerySchema) query: ListPendingRewardsQuery,
  ): Promise<ListPendingRewardsResponse> {
    return this.rewards.listPending({ network, ...query });
  }
}

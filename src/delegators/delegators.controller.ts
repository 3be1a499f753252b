import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ApiNetwork, ApiQueryParameters, PAGING, SORT_ORDER } from '../http/api-parameters.decorator.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import { type NetworkParameter, NetworkParameterSchema } from '../http/schemas/network.schema.js';
import { DELEGATION_STATUSES } from './delegator-list.js';
import { DelegatorsService } from './delegators.service.js';
import { ListDelegatorsResponse } from './dto/delegator.response.js';
import {
  type ListDelegatorsQuery,
  ListDelegatorsQuerySchema,
  PAGE_SIZES,
} from './dto/list-delegators.request.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/delegators', version: '1' })
export class DelegatorsController {
  constructor(private readonly delegators: DelegatorsService) {}

  @Get()
  @ApiOperation({
    summary: 'List delegators',
    description:
      'By start, the newest first. A delegation never renews itself: one to an auto-renewed validation ends within the period in which it began, with its own reward. The part that the validator takes of it is paid out or staked again when the period ends.',
  })
  @ApiNetwork()
  @ApiQueryParameters({
    ...PAGING(PAGE_SIZES),
    rewardAddresses: { type: 'string', description: 'Comma-separated; any of them fits.' },
    ...SORT_ORDER,
    delegationStatus: { type: 'string', enum: [...DELEGATION_STATUSES] },
    nodeIds: { type: 'string', description: 'Whole node ids, comma-separated; any of them fits.' },
  })
  @ApiOkResponse({ type: ListDelegatorsResponse })
  @ApiErrors()
  list(
    @Param(new ZodPipe(NetworkParameterSchema)) { network }: NetworkParameter,
    @Query(new ZodPipe(ListDelegatorsQuerySchema)) query: ListDelegatorsQuery,
  ): Promise<ListDelegatorsResponse> {
    return this.delegators.list({ network, ...query });
  }
}

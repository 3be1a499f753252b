import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../../access/keys/caller.js';
import { CurrentCaller } from '../../access/keys/current-caller.decorator.js';
import { Private } from '../../platform/http/schemas/private.decorator.js';
import { QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { ApiUsageService } from './api-usage.service.js';
import { type ApiUsageQuery, ApiUsageQuerySchema } from './dto/api-usage.request.js';
import { ApiUsageResponse } from './dto/api-usage.response.js';

@ApiTags('usage metrics')
@Controller({ path: 'apiUsageMetrics', version: '1' })
export class ApiUsageController {
  constructor(private readonly usage: ApiUsageService) {}

  @Get()
  @Private()
  @ApiOperation({
    operationId: 'getApiUsageMetrics',
    summary: 'Get usage metrics',
    description:
      'The number of requests, their outcomes and their cost, for the organisation of the key, or for all callers ' +
      'without a key. A request is counted a few seconds after its answer.',
  })
  @ApiOkResponse({ type: ApiUsageResponse, description: 'The metrics by interval.' })
  get(
    @QueryOf(ApiUsageQuerySchema) query: ApiUsageQuery,
    @CurrentCaller() caller: Caller | undefined,
  ): Promise<ApiUsageResponse> {
    return this.usage.get(query, caller);
  }
}

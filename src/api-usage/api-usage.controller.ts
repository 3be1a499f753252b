import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../api-keys/caller.js';
import { CurrentCaller } from '../api-keys/current-caller.decorator.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ApiQueryParameters } from '../http/api-parameters.decorator.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import { ApiUsageService } from './api-usage.service.js';
import { apiUsageParameters } from './dto/api-usage.openapi.js';
import { type ApiUsageQuery, ApiUsageQuerySchema } from './dto/api-usage.request.js';
import { ApiUsageResponse } from './dto/api-usage.response.js';

@ApiTags('usage metrics')
@Controller({ path: 'apiUsageMetrics', version: '1' })
export class ApiUsageController {
  constructor(private readonly usage: ApiUsageService) {}

  @Get()
  @ApiOperation({
    summary: 'Get usage metrics',
    description:
      'How often the service was asked, how it answered, and what that cost: of the organisation of the key, or of all who call ' +
      'without one. A request counts some seconds after its answer.',
  })
  @ApiQueryParameters(apiUsageParameters)
  @ApiOkResponse({ type: ApiUsageResponse })
  @ApiErrors()
  get(
    @Query(new ZodPipe(ApiUsageQuerySchema)) query: ApiUsageQuery,
    @CurrentCaller() caller: Caller | undefined,
  ): Promise<ApiUsageResponse> {
    return this.usage.get(query, caller);
  }
}

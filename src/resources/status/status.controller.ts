import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Config } from '../../platform/config/config.module.js';
import { notFound } from '../../platform/http/errors/api-error.js';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { StatusResponse } from './dto/status.response.js';
import { StatusService } from './status.service.js';

@ApiTags('health')
@Controller({ version: '1' })
export class StatusController {
  constructor(
    private readonly config: Config,
    private readonly status: StatusService,
  ) {}

  @Get('status')
  @NoQuery()
  @ApiOperation({
    operationId: 'getStatus',
    summary: 'The data of the status page',
    description:
      'Networks, indexes, running work, aggregations of the last quarter of an hour and processes, but nothing about what callers have ' +
      'requested. The data is read at most once a second, however many callers ask. A 404 if the status page is switched off.',
  })
  @ApiOkResponse({
    type: StatusResponse,
    description: 'As much as is available; also returned while parts are down.',
  })
  get(): Promise<StatusResponse> {
    if (!this.config.env.STATUS_PAGE) throw notFound('the status page is switched off');
    return this.status.get();
  }
}

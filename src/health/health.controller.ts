import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { HealthResponse, LiveResponse } from './dto/health.openapi.js';
import { HealthService, type HealthAnswer } from './health.service.js';

@ApiTags('health')
@Controller({ version: '1' })
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('health-check')
  @ApiOperation({
    operationId: 'checkHealth',
    summary: 'Health of the service and of what it stands on',
    description:
      'Its database, its workflow engine, the networks it is configured for, and how far each chain is indexed.',
  })
  @ApiOkResponse({ type: HealthResponse, description: 'The service works.' })
  @ApiServiceUnavailableResponse({
    type: HealthResponse,
    description: 'It does not; the failing parts are under error.',
  })
  async check(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthAnswer> {
    const answer = await this.health.check();
    void reply.status(answer.status === 'ok' ? 200 : 503);
    return answer;
  }

  @Get('live-check')
  @ApiOperation({
    operationId: 'checkLife',
    summary: 'Whether this process answers requests',
    description: 'Nothing else is asked.',
  })
  @ApiOkResponse({ type: LiveResponse, description: 'It does.' })
  live(): LiveResponse {
    return { status: 'ok' };
  }
}

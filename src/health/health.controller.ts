import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { HealthResponse, LiveResponse, ReadinessResponse } from './dto/health.openapi.js';
import { HealthService, type HealthAnswer } from './health.service.js';
import { Readiness, type ReadinessAnswer } from './readiness.js';

@ApiTags('health')
@Controller({ version: '1' })
export class HealthController {
  constructor(
    private readonly health: HealthService,
    private readonly readiness: Readiness,
  ) {}

  @Get('health-check')
  @ApiOperation({
    operationId: 'checkHealth',
    summary: 'Health of the service and of what it stands on',
    description:
      'Its database, its workflow engine, its workers, the networks it is configured for, and how far each chain is indexed. ' +
      'For people and monitors: a load balancer should ask for readiness, which is this process alone.',
  })
  @ApiOkResponse({
    type: HealthResponse,
    description:
      'Requests are answered, if in part: a degraded service has something under error that a person should look at.',
  })
  @ApiServiceUnavailableResponse({
    type: HealthResponse,
    description: 'They are not: the database or Temporal is away, or the process is about to end.',
  })
  async check(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthAnswer> {
    const answer = await this.health.check();
    void reply.status(answer.status === 'ok' || answer.status === 'degraded' ? 200 : 503);
    return answer;
  }

  @Get('ready-check')
  @ApiOperation({
    operationId: 'checkReadiness',
    summary: 'Whether this process can answer requests now',
    description:
      'Its database, migrated as it needs it, and its workflow engine. Never while it is about to end.',
  })
  @ApiOkResponse({ type: ReadinessResponse, description: 'It can.' })
  @ApiServiceUnavailableResponse({
    type: ReadinessResponse,
    description: 'It cannot: send requests elsewhere.',
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessAnswer> {
    const answer = await this.readiness.check();
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

import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { HealthResponse, LiveResponse, ReadinessResponse } from './health.response.js';
import { HealthService } from './health.service.js';
import { Readiness } from './readiness.js';

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
    summary: 'Health of the service and its dependencies',
    description:
      'Reports the database, the workflow engine, the workers, the configured networks, and how far each chain is indexed. ' +
      'The data is up to a second old, however many callers ask. Intended for people and monitors. Load balancers should use readiness, ' +
      'which concerns this process alone.',
  })
  @ApiOkResponse({
    type: HealthResponse,
    description:
      'Requests are answered, at least in part. If the service is degraded, someone should look at the entries under error.',
  })
  @ApiServiceUnavailableResponse({
    type: HealthResponse,
    description:
      'Requests are not answered: the database or Temporal is unavailable, or the process is shutting down.',
  })
  async check(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthResponse> {
    const answer = await this.health.check();
    void reply.status(answer.status === 'ok' || answer.status === 'degraded' ? 200 : 503);
    return answer;
  }

  @Get('ready-check')
  @ApiOperation({
    operationId: 'checkReadiness',
    summary: 'Readiness of this process',
    description:
      'Whether this process can answer requests now: it needs the database, with all migrations, the workflow engine, and connections to validators if it collects signatures. A process that is shutting down is never ready.',
  })
  @ApiOkResponse({ type: ReadinessResponse, description: 'The process is ready.' })
  @ApiServiceUnavailableResponse({
    type: ReadinessResponse,
    description: 'The process is not ready: send requests elsewhere.',
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessResponse> {
    const answer = await this.readiness.check();
    void reply.status(answer.status === 'ok' ? 200 : 503);
    return answer;
  }

  @Get('live-check')
  @ApiOperation({
    operationId: 'checkLife',
    summary: 'Liveness of this process',
    description: 'Whether this process answers requests; nothing else is checked.',
  })
  @ApiOkResponse({ type: LiveResponse, description: 'The process is alive.' })
  live(): LiveResponse {
    return { status: 'ok' };
  }
}

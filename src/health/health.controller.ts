import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { HealthService, type HealthAnswer } from './health.service.js';

@ApiTags('health')
@Controller({ version: '1' })
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('health-check')
  @ApiOperation({
    summary: 'Health of the service, its database, its workflow engine and the networks it is configured for',
  })
  @ApiOkResponse({
    description: 'status is ok, or error with the failing parts under error (then the code is 503)',
  })
  async check(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthAnswer> {
    const answer = await this.health.check();
    void reply.status(answer.status === 'ok' ? 200 : 503);
    return answer;
  }

  @Get('live-check')
  @ApiOperation({ summary: 'Whether this process answers requests' })
  @ApiOkResponse({ description: 'status is ok' })
  live(): Pick<HealthAnswer, 'status'> {
    return { status: 'ok' };
  }
}

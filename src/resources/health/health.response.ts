import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { count, decimal, text } from '../../platform/http/openapi/fields.js';
import { IndexProgressResponse } from '../../platform/http/openapi/index-progress.response.js';

class IndexHealthResponse extends IndexProgressResponse {
  @ApiProperty({
    format: 'date-time',
    description:
      'Time of this report, ISO 8601. If the state is a working one and the report is old, no worker is alive.',
    example: '2026-11-22T18:46:11.566Z',
  })
  updatedAt!: string;
}

@ApiExtraModels(IndexHealthResponse)
export class PartHealthResponse {
  @ApiProperty({
    enum: ['up', 'degraded', 'down'],
    description: 'Whether it answers; degraded: it does, but something is wrong.',
    example: 'up',
  })
  status!: 'up' | 'degraded' | 'down';

  @ApiPropertyOptional({
    description: 'True for a simulated network: its signatures are worth nothing elsewhere.',
    example: true,
  })
  sandbox?: boolean;

  @ApiPropertyOptional(count('Id of the network.', 12_345))
  networkId?: number;

  @ApiPropertyOptional(decimal("P-chain height of the network's node.", '98'))
  pChainHeight?: string;

  @ApiPropertyOptional(text('Details, if there are any.', 'node not reachable'))
  message?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(IndexHealthResponse) },
    description: 'Indexes by chain.',
  })
  index?: Record<string, IndexHealthResponse>;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Number of processes that serve each task queue.',
    example: { signatures: 2, indexing: 1, exports: 1, nfts: 1 },
  })
  queues?: Record<string, number>;
}

const BY_PART = {
  type: 'object',
  additionalProperties: { $ref: getSchemaPath(PartHealthResponse) },
} as const;

@ApiExtraModels(PartHealthResponse)
export class HealthResponse {
  @ApiProperty({
    enum: ['ok', 'degraded', 'error', 'shutting_down'],
    description:
      'degraded: a network is unavailable, an index has stopped or is silent, no process serves a task queue, or this one has too few peers; ' +
      'error: the database or Temporal is unavailable.',
    example: 'ok',
  })
  status!: 'ok' | 'degraded' | 'error' | 'shutting_down';

  @ApiProperty({ ...BY_PART, description: 'Parts that are up.' })
  info!: Record<string, PartHealthResponse>;

  @ApiProperty({ ...BY_PART, description: 'Parts that are degraded or down.' })
  error!: Record<string, PartHealthResponse>;

  @ApiProperty({ ...BY_PART, description: 'All parts.' })
  details!: Record<string, PartHealthResponse>;
}

export class ReadyPartResponse {
  @ApiProperty({ enum: ['up', 'down'], description: 'Whether it can be used.', example: 'up' })
  status!: 'up' | 'down';

  @ApiPropertyOptional(text('Why not, or what it lacks.', 'does not answer'))
  message?: string;
}

class ReadyDetailsResponse {
  @ApiProperty({
    type: ReadyPartResponse,
    description: 'Postgres, with all the tables that this process needs.',
  })
  database!: ReadyPartResponse;

  @ApiProperty({ type: ReadyPartResponse, description: 'The workflow engine.' })
  temporal!: ReadyPartResponse;

  @ApiPropertyOptional({
    type: ReadyPartResponse,
    description:
      'Connections to validators, of a process that collects signatures: down while it leaves this to others for want of them.',
  })
  peers?: ReadyPartResponse;
}

export class ReadinessResponse {
  @ApiProperty({
    enum: ['ok', 'starting', 'error', 'shutting_down'],
    description: 'ok: send requests to this process; anything else: do not, or not yet.',
    example: 'ok',
  })
  status!: 'ok' | 'starting' | 'error' | 'shutting_down';

  @ApiProperty({ type: ReadyDetailsResponse, description: 'The parts that every request needs.' })
  details!: ReadyDetailsResponse;
}

export class LiveResponse {
  @ApiProperty({ enum: ['ok'], description: 'Always ok.', example: 'ok' })
  status!: 'ok';
}

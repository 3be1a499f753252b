import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { count, decimal, text } from '../../http/openapi/fields.js';
import { IndexProgressResponse } from '../../http/openapi/index-progress.response.js';
import type { ReadinessAnswer } from '../readiness.js';
import type { HealthAnswer, IndexHealth, PartHealth } from '../health.service.js';

class IndexHealthResponse extends IndexProgressResponse implements IndexHealth {
  @ApiProperty({
    format: 'date-time',
    description: 'ISO 8601; an old one of a state that works means that no worker lives.',
    example: '2026-11-22T18:46:11.566Z',
  })
  updatedAt: string;
}

@ApiExtraModels(IndexHealthResponse)
class PartHealthResponse implements PartHealth {
  @ApiProperty({
    enum: ['up', 'degraded', 'down'],
    description: 'Whether it answers; degraded: it does, and not all is as it should be.',
    example: 'up',
  })
  status: PartHealth['status'];

  @ApiPropertyOptional({
    description: 'True for a simulated network: its signatures are worth nothing elsewhere.',
    example: true,
  })
  sandbox?: boolean;

  @ApiPropertyOptional(count('Of a network.', 12_345))
  networkId?: number;

  @ApiPropertyOptional(decimal("Height of its node's P-chain.", '98'))
  pChainHeight?: string;

  @ApiPropertyOptional(text('What there is to be said of it.', 'node not reachable'))
  message?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(IndexHealthResponse) },
    description: 'By chain.',
  })
  index?: Record<string, IndexHealthResponse>;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'By task queue: processes that work on it.',
    example: { signatures: 2, indexing: 1, exports: 1, nfts: 1 },
  })
  queues?: Record<string, number>;
}

const BY_PART = {
  type: 'object',
  additionalProperties: { $ref: getSchemaPath(PartHealthResponse) },
} as const;

@ApiExtraModels(PartHealthResponse)
export class HealthResponse implements HealthAnswer {
  @ApiProperty({
    enum: ['ok', 'degraded', 'error', 'shutting_down'],
    description:
      'degraded: a network is away, an index has stopped or is silent, or nobody works on a task queue; ' +
      'error: without the database or Temporal.',
    example: 'ok',
  })
  status: HealthAnswer['status'];

  @ApiProperty({ ...BY_PART, description: 'What is up.' })
  info: Record<string, PartHealthResponse>;

  @ApiProperty({ ...BY_PART, description: 'What is degraded or down.' })
  error: Record<string, PartHealthResponse>;

  @ApiProperty({ ...BY_PART, description: 'Both.' })
  details: Record<string, PartHealthResponse>;
}

class ReadyPartResponse {
  @ApiProperty({ enum: ['up', 'down'], description: 'Whether it can be used.', example: 'up' })
  status: 'up' | 'down';

  @ApiPropertyOptional(text('Why not.', 'does not answer'))
  message?: string;
}

class ReadyDetailsResponse implements Record<keyof ReadinessAnswer['details'], ReadyPartResponse> {
  @ApiProperty({ type: ReadyPartResponse, description: 'Postgres, with all tables that this process needs.' })
  database: ReadyPartResponse;

  @ApiProperty({ type: ReadyPartResponse, description: 'The workflow engine.' })
  temporal: ReadyPartResponse;
}

export class ReadinessResponse implements ReadinessAnswer {
  @ApiProperty({
    enum: ['ok', 'starting', 'error', 'shutting_down'],
    description: 'ok: send requests; everything else: do not, or not yet.',
    example: 'ok',
  })
  status: ReadinessAnswer['status'];

  @ApiProperty({ type: ReadyDetailsResponse, description: 'What every request needs.' })
  details: ReadyDetailsResponse;
}

export class LiveResponse {
  @ApiProperty({ enum: ['ok'], description: 'Always so.', example: 'ok' })
  status: 'ok';
}

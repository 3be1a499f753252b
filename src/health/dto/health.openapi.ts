import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { count, decimal, text } from '../../http/openapi/fields.js';
import type { HealthAnswer, IndexHealth, PartHealth } from '../health.service.js';

class IndexHealthResponse implements IndexHealth {
  @ApiProperty({
    enum: ['running', 'waiting', 'paused', 'stopped'],
    description:
      'running: at the tip, or catching up; waiting: tries again by itself; paused: by an operator; stopped: needs one.',
    example: 'running',
  })
  state: IndexHealth['state'];

  @ApiPropertyOptional({
    type: 'string',
    pattern: '^(-1|\\d+)$',
    description: 'Height of the newest indexed block; -1 before the first.',
    example: '98',
  })
  height?: string;

  @ApiPropertyOptional(decimal("Height of the chain's newest block.", '98'))
  tip?: string;

  @ApiProperty({ description: 'How fast it went when it last went on.', example: 0 })
  blocksPerSecond: number;

  @ApiPropertyOptional({ description: 'Until the tip, at this pace.', example: 0 })
  secondsLeft?: number;

  @ApiPropertyOptional(text('Why it does not go on.', 'no node has answered'))
  message?: string;

  @ApiProperty({
    format: 'date-time',
    description: 'ISO 8601; an old one of a state that works means that no worker lives.',
    example: '2026-11-22T18:46:11.566Z',
  })
  updatedAt: string;
}

@ApiExtraModels(IndexHealthResponse)
class PartHealthResponse implements PartHealth {
  @ApiProperty({ enum: ['up', 'down'], description: 'Whether it answers.', example: 'up' })
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
}

const BY_PART = {
  type: 'object',
  additionalProperties: { $ref: getSchemaPath(PartHealthResponse) },
} as const;

@ApiExtraModels(PartHealthResponse)
export class HealthResponse implements HealthAnswer {
  @ApiProperty({
    enum: ['ok', 'error'],
    description: 'error without the database or Temporal.',
    example: 'ok',
  })
  status: HealthAnswer['status'];

  @ApiProperty({ ...BY_PART, description: 'What is up.' })
  info: Record<string, PartHealthResponse>;

  @ApiProperty({ ...BY_PART, description: 'What is down.' })
  error: Record<string, PartHealthResponse>;

  @ApiProperty({ ...BY_PART, description: 'Both.' })
  details: Record<string, PartHealthResponse>;
}

export class LiveResponse {
  @ApiProperty({ enum: ['ok'], description: 'Always so.', example: 'ok' })
  status: 'ok';
}

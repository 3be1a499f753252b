import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { INDEX_STATES, type IndexState } from '../../../../workflows/contracts/index-chain.js';
import { blockNumber, decimal, text } from './fields.js';

/** How an index goes on, in the words of the health answer and of the status page. */
export class IndexProgressResponse {
  @ApiProperty({
    enum: INDEX_STATES,
    description:
      'running: at the tip, or catching up; waiting: retries by itself; paused: by an operator; stopped: needs an operator.',
    example: 'running',
  })
  state!: IndexState;

  @ApiPropertyOptional(blockNumber('Height of the newest indexed block; -1 before the first.', '98'))
  height?: string | undefined;

  @ApiPropertyOptional(decimal("Height of the chain's newest block.", '98'))
  tip?: string | undefined;

  @ApiProperty({ description: 'Speed when it last made progress.', example: 0 })
  blocksPerSecond!: number;

  @ApiPropertyOptional({ type: 'number', description: 'Time to the tip at this speed. Seconds.', example: 0 })
  secondsLeft?: number | undefined;

  @ApiPropertyOptional(
    text(
      "Whom the blocks come from: the network's validators, or a configured node.",
      'the validators (23 serve, 412000 blocks read)',
    ),
  )
  source?: string | undefined;

  @ApiPropertyOptional(text('Why it makes no progress, or what is missing.', 'no node has answered'))
  message?: string | undefined;
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { count, text } from '../../platform/http/openapi/fields.js';

class RemainingResponse {
  @ApiProperty(count('Cost units, in a minute by the clock.', 599_999))
  unitsPerMinute!: number;

  @ApiProperty(count('Cost units, in a day (UTC).', 119_999_999))
  unitsPerDay!: number;

  @ApiProperty(count('Exports that may run at a time.', 100))
  runningExports!: number;

  @ApiProperty(count('Exports that may run or have files.', 1_000))
  storedExports!: number;

  @ApiProperty(count('Bytes of exported files.', 20_000_000_000))
  storedBytes!: number;

  @ApiProperty(count('Blocks that the exports of a day (UTC) may read from nodes.', 20_000_000))
  nodeCallsPerDay!: number;
}

class LimitsResponse extends RemainingResponse {
  @ApiProperty(count('Aggregations that may wait at a time, in each process.', 1_000))
  waitingAggregations!: number;
}

export class MeResponse {
  @ApiProperty(text('The organisation of the key; `public` without one.', 'public'))
  orgId!: string;

  @ApiPropertyOptional(text('The key; absent without one.', 'aa22054a-cb7c-4a4e-9b83-59f2ede74138'))
  apiKeyId?: string;

  @ApiProperty(text('The plan of the key.', 'public'))
  plan!: string;

  @ApiProperty({
    type: LimitsResponse,
    description: 'The allowance of an organisation or, without a key, an address.',
  })
  limits!: LimitsResponse;

  @ApiProperty({ type: RemainingResponse, description: 'The part of it that is left.' })
  remaining!: RemainingResponse;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
    description: 'Cost units of a request, by path. An answer of more than 64 KiB costs as much as several.',
    example: { '/v1/chains': 1, '/v1/me': 1 },
  })
  prices!: Record<string, number>;
}

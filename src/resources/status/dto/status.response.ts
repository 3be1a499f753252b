import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { count, decimal, text } from '../../../platform/http/openapi/fields.js';
import { IndexProgressResponse } from '../../../platform/http/openapi/index-progress.response.js';
import { HealthResponse, PartHealthResponse } from '../../health/health.response.js';

const seconds = (description: string, example: number) => count(`${description} Seconds.`, example);

const percentage = (description: string, example: number) =>
  ({ type: 'number', minimum: 0, maximum: 100, description, example }) as const;

const milliseconds = (description: string, example: number) =>
  ({
    type: 'number',
    minimum: 0,
    description: `${description} Milliseconds; absent if nothing was signed.`,
    example,
  }) as const;

export class PartStatusResponse extends PickType(PartHealthResponse, ['status', 'message']) {
  @ApiProperty(text('A part that the service depends on.', 'database'))
  name!: string;
}

const OF_NETWORKS = ['status', 'networkId', 'pChainHeight', 'message'] as const;

export class NetworkStatusResponse extends PickType(PartHealthResponse, OF_NETWORKS) {
  @ApiProperty(text('Name of the network.', 'fuji'))
  network!: string;

  @ApiProperty({ description: 'True for a simulated network.', example: true })
  sandbox!: boolean;
}

export class IndexStatusResponse extends IndexProgressResponse {
  @ApiProperty(text('Name of the network.', 'fuji'))
  network!: string;

  @ApiProperty(
    text('`p-chain`, `x-chain` or `evm-` and the chain id; audits are listed as well.', 'evm-43113'),
  )
  chain!: string;

  @ApiPropertyOptional(text('Name of an EVM chain.', 'C-Chain'))
  chainName?: string | undefined;

  @ApiPropertyOptional(
    text('Facet of the chain that this index fills in; absent for the index that follows the tip.', 'traces'),
  )
  facet?: string | undefined;

  @ApiPropertyOptional(percentage('Share of the required blocks that are indexed; 100 only if all are.', 100))
  percentage?: number;

  @ApiPropertyOptional(decimal('Number of required blocks that are not indexed yet.', '0'))
  blocksLeft?: string;

  @ApiPropertyOptional(seconds('How far the index is behind its chain.', 0))
  lagSeconds?: number;

  @ApiProperty(seconds('Time since it last reported.', 2))
  silentSeconds!: number;
}

export class OperationStatusResponse {
  @ApiProperty(text('Kind of the operation.', 'TRANSACTION_EXPORT_EVM'))
  type!: string;

  @ApiPropertyOptional(percentage('Progress, if it has been reported.', 42.5))
  percentage?: number;

  @ApiProperty(count('Rows so far.', 12_000))
  rows!: number;

  @ApiProperty(seconds('Time since it was requested.', 30))
  ageSeconds!: number;
}

class RunningWorkResponse {
  @ApiProperty(count('Exports.', 1))
  operations!: number;

  @ApiProperty(count('Aggregation workflows; one may hold many requests.', 2))
  aggregations!: number;

  @ApiProperty(count('Fetches of NFT metadata.', 0))
  nfts!: number;
}

export class WorkStatusResponse {
  @ApiProperty({ type: [OperationStatusResponse], description: 'The newest running operations, 20 at most.' })
  operations!: OperationStatusResponse[];

  @ApiProperty({ type: RunningWorkResponse, description: 'Number of running workflows of each kind.' })
  running!: RunningWorkResponse;
}

export class AggregationSlotResponse {
  @ApiProperty(count('Requests answered with a signed message.', 1_250))
  signed!: number;

  @ApiProperty(count('Requests answered with an error that is not the caller’s fault.', 0))
  failed!: number;

  @ApiPropertyOptional(milliseconds('Median time of the signed requests.', 12.4))
  medianMs?: number | undefined;

  @ApiPropertyOptional(milliseconds('95th percentile of that time.', 31.2))
  p95Ms?: number | undefined;

  @ApiPropertyOptional(milliseconds('99th percentile of that time.', 55.3))
  p99Ms?: number | undefined;
}

export class AggregationStatusResponse {
  @ApiProperty(seconds('Length of a slot.', 10))
  slotSeconds!: number;

  @ApiProperty({
    type: [AggregationSlotResponse],
    description: 'Oldest first, up to the last completed slot.',
  })
  slots!: AggregationSlotResponse[];
}

class DaySlotResponse extends PickType(AggregationSlotResponse, ['signed', 'failed', 'p95Ms'] as const) {
  @ApiPropertyOptional(
    percentage(
      'Percentage of its minutes in which the service worked; absent before the first on record.',
      100,
    ),
  )
  upPercentage?: number | undefined;

  @ApiPropertyOptional(seconds('How old the newest block of the slowest index was, at most.', 4))
  lagSeconds?: number | undefined;
}

export class DayStatusResponse {
  @ApiProperty(seconds('Length of a slot.', 900))
  slotSeconds!: number;

  @ApiProperty({
    type: [DaySlotResponse],
    description: 'Oldest first, up to the last completed slot.',
  })
  slots!: DaySlotResponse[];
}

class StakeStatusResponse {
  @ApiProperty(text('Name of the network.', 'fuji'))
  network!: string;

  @ApiProperty(percentage("Percentage of the primary network's stake whose validators are connected.", 98.7))
  percentage!: number;

  @ApiProperty(count('Number of validators that can sign.', 5))
  validators!: number;

  @ApiProperty(count('Number of these validators that are connected.', 5))
  connected!: number;
}

export class ProcessStatusResponse {
  @ApiProperty({ description: 'Whether the process answers API requests.', example: true })
  api!: boolean;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'Task queues that the process serves.',
    example: ['signatures'],
  })
  queues!: readonly string[];

  @ApiProperty(text('Version of the service.', '0.1.0'))
  version!: string;

  @ApiProperty(seconds('Time since the process started.', 3_600))
  upSeconds!: number;

  @ApiProperty(seconds('Time since the process last reported, which it does every five seconds.', 2))
  silentSeconds!: number;

  @ApiProperty({
    type: [StakeStatusResponse],
    description: 'Connected stake by network, if the process connects to validators.',
  })
  stake!: StakeStatusResponse[];
}

/** Content of the status page; nothing that callers have asked for. */
export class StatusResponse extends PickType(HealthResponse, ['status']) {
  @ApiProperty(text('Version of the service.', '0.1.0'))
  version!: string;

  @ApiPropertyOptional(text('Address of the Temporal Web UI.', 'http://127.0.0.1:8233'))
  temporalUiUrl?: string;

  @ApiProperty({ type: [PartStatusResponse], description: 'The parts that the service depends on.' })
  parts!: PartStatusResponse[];

  @ApiProperty({ type: [NetworkStatusResponse], description: 'The configured networks.' })
  networks!: NetworkStatusResponse[];

  @ApiPropertyOptional({
    type: [IndexStatusResponse],
    description: 'Indexes by network and chain; absent while the database is unavailable.',
  })
  indexes?: IndexStatusResponse[];

  @ApiPropertyOptional({
    type: WorkStatusResponse,
    description: 'Running work; absent while Temporal is unavailable.',
  })
  work?: WorkStatusResponse;

  @ApiPropertyOptional({
    type: AggregationStatusResponse,
    description: 'Aggregations of all processes; absent while the database is unavailable.',
  })
  aggregations?: AggregationStatusResponse;

  @ApiPropertyOptional({
    type: DayStatusResponse,
    description: 'The last day, of all processes; absent while the database is unavailable.',
  })
  day?: DayStatusResponse;

  @ApiPropertyOptional({
    type: [ProcessStatusResponse],
    description: 'Newest first, 100 at most; absent while the database is unavailable.',
  })
  processes?: ProcessStatusResponse[];
}

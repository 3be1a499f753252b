import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { count, decimal, text } from '../../http/openapi/fields.js';
import { IndexProgressResponse } from '../../http/openapi/index-progress.response.js';
import type {
  AggregationSlot,
  AggregationStatus,
  IndexStatus,
  NetworkStatus,
  OperationStatus,
  PartStatus,
  ProcessStatus,
  StakeStatus,
  Status,
  WorkKind,
  WorkStatus,
} from '../status.js';

const UP_OR_DOWN = { enum: ['up', 'degraded', 'down'], description: 'Whether it answers.', example: 'up' };

const seconds = (description: string, example: number) => count(`${description} Seconds.`, example);

const percentage = (description: string, example: number) =>
  ({ type: 'number', minimum: 0, maximum: 100, description, example }) as const;

const milliseconds = (description: string, example: number) =>
  ({
    type: 'number',
    minimum: 0,
    description: `${description} Milliseconds; absent where nothing was signed.`,
    example,
  }) as const;

class PartStatusResponse implements PartStatus {
  @ApiProperty(text('What the service stands on.', 'database'))
  name: string;

  @ApiProperty(UP_OR_DOWN)
  status: PartStatus['status'];

  @ApiPropertyOptional(text('What there is to be said of it.', 'does not answer'))
  message?: string;
}

class NetworkStatusResponse implements NetworkStatus {
  @ApiProperty(text('Name of the network.', 'fuji'))
  network: string;

  @ApiProperty(UP_OR_DOWN)
  status: NetworkStatus['status'];

  @ApiProperty({ description: 'True for a simulated network.', example: true })
  sandbox: boolean;

  @ApiPropertyOptional(count('Of the network.', 12_345))
  networkId?: number;

  @ApiPropertyOptional(decimal("Height of its node's P-chain.", '98'))
  pChainHeight?: string;

  @ApiPropertyOptional(text('What there is to be said of it.', 'node not reachable'))
  message?: string;
}

class IndexStatusResponse extends IndexProgressResponse implements IndexStatus {
  @ApiProperty(text('Name of the network.', 'fuji'))
  network: string;

  @ApiProperty(text('`p-chain`, `x-chain` or `evm-` and the chain id; audits have a line, too.', 'evm-43113'))
  chain: string;

  @ApiPropertyOptional(text('Of an EVM chain.', 'C-Chain'))
  chainName?: string;

  @ApiPropertyOptional(text('What it fills in of the chain; absent of what follows its tip.', 'traces'))
  facet?: string;

  @ApiPropertyOptional(percentage('How much of what it should have is there; 100 only when all is.', 100))
  percentage?: number;

  @ApiPropertyOptional(decimal('Blocks that it should have and has not.', '0'))
  blocksLeft?: string;

  @ApiPropertyOptional(seconds('How far it is behind its chain.', 0))
  lagSeconds?: number;

  @ApiProperty(seconds('Since it last said something.', 2))
  silentSeconds: number;
}

class OperationStatusResponse implements OperationStatus {
  @ApiProperty(text('Its kind.', 'TRANSACTION_EXPORT_EVM'))
  type: string;

  @ApiPropertyOptional(percentage('How far it is, where it has said so.', 42.5))
  percentage?: number;

  @ApiProperty(count('Rows so far.', 12_000))
  rows: number;

  @ApiProperty(seconds('Since it was asked for.', 30))
  ageSeconds: number;
}

class RunningWorkResponse implements Record<WorkKind, number> {
  @ApiProperty(count('Exports.', 1))
  operations: number;

  @ApiProperty(count('Workflows of aggregations; one may hold many requests.', 2))
  aggregations: number;

  @ApiProperty(count('Fetches of NFT metadata.', 0))
  nfts: number;
}

class WorkStatusResponse implements WorkStatus {
  @ApiProperty({ type: [OperationStatusResponse], description: 'The newest that are running, 20 at most.' })
  operations: OperationStatusResponse[];

  @ApiProperty({ type: RunningWorkResponse, description: 'How many of each kind are running.' })
  running: RunningWorkResponse;
}

class AggregationSlotResponse implements AggregationSlot {
  @ApiProperty(count('Answered with a signed message.', 1_250))
  signed: number;

  @ApiProperty(count('Answered with an error that is not the caller’s.', 0))
  failed: number;

  @ApiPropertyOptional(milliseconds('Half of the signed ones took no longer.', 12.4))
  medianMs?: number;

  @ApiPropertyOptional(milliseconds('The same of 95 %.', 31.2))
  p95Ms?: number;

  @ApiPropertyOptional(milliseconds('The same of 99 %.', 55.3))
  p99Ms?: number;
}

class AggregationStatusResponse implements AggregationStatus {
  @ApiProperty(seconds('Length of a slot.', 10))
  slotSeconds: number;

  @ApiProperty({
    type: [AggregationSlotResponse],
    description: 'The oldest first, up to the last that is over.',
  })
  slots: AggregationSlotResponse[];
}

class StakeStatusResponse implements StakeStatus {
  @ApiProperty(text('Name of the network.', 'fuji'))
  network: string;

  @ApiProperty(percentage("Share of the primary network's stake whose validators are connected.", 98.7))
  percentage: number;

  @ApiProperty(count('Validators that can sign.', 5))
  validators: number;

  @ApiProperty(count('Those of them that are connected.', 5))
  connected: number;
}

class ProcessStatusResponse implements ProcessStatus {
  @ApiProperty({ description: 'Whether it answers requests.', example: true })
  api: boolean;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'Task queues that it works on.',
    example: ['signatures'],
  })
  queues: readonly string[];

  @ApiProperty(text('Of the service.', '0.1.0'))
  version: string;

  @ApiProperty(seconds('Since its start.', 3_600))
  upSeconds: number;

  @ApiProperty(seconds('Since it last said something; it does so every five.', 2))
  silentSeconds: number;

  @ApiProperty({
    type: [StakeStatusResponse],
    description: 'By network, where it is connected to validators.',
  })
  stake: StakeStatusResponse[];
}

export class StatusResponse implements Status {
  @ApiProperty({
    enum: ['ok', 'degraded', 'error', 'shutting_down'],
    description: 'As in the health answer.',
    example: 'ok',
  })
  status: Status['status'];

  @ApiProperty(text('Of the service.', '0.1.0'))
  version: string;

  @ApiPropertyOptional(text('Address of the Temporal Web UI.', 'http://127.0.0.1:8233'))
  temporalUiUrl?: string;

  @ApiProperty({ type: [PartStatusResponse], description: 'What the service stands on.' })
  parts: PartStatusResponse[];

  @ApiProperty({ type: [NetworkStatusResponse], description: 'The configured networks.' })
  networks: NetworkStatusResponse[];

  @ApiPropertyOptional({
    type: [IndexStatusResponse],
    description: 'By network and chain; absent while the database is away.',
  })
  indexes?: IndexStatusResponse[];

  @ApiPropertyOptional({ type: WorkStatusResponse, description: 'Absent while Temporal is away.' })
  work?: WorkStatusResponse;

  @ApiPropertyOptional({
    type: AggregationStatusResponse,
    description: 'Of all processes; absent while the database is away.',
  })
  aggregations?: AggregationStatusResponse;

  @ApiPropertyOptional({
    type: [ProcessStatusResponse],
    description: 'The newest first, 100 at most; absent while the database is away.',
  })
  processes?: ProcessStatusResponse[];
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { cb58, count, decimal, text, unixSeconds } from '../../../platform/http/openapi/fields.js';
import { INDEX_STATES } from '../../../../workflows/contracts/index-chain.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { PUBLIC_NETWORKS } from '../../../platform/config/network-names.js';
import type { MeasuredChain, MeasuredFacet } from '../../../indexes/overview/measured-chains.js';

/** Of an index that has not reported yet. */
export const NOT_STARTED = 'not_started';

const STATES = [...INDEX_STATES, NOT_STARTED] as const;

const STATE_DESCRIPTION =
  'running: at the tip, or catching up; waiting: retries by itself; paused: by an operator; stopped: needs an operator.';

class NativeTokenResponse {
  @ApiProperty(text('Symbol of the asset.', 'AVAX'))
  symbol!: string;

  @ApiProperty(count('Number of decimal places.', 18))
  decimals!: number;
}

export class BlockRangeResponse {
  @ApiProperty(decimal('First block.', '0'))
  fromBlock!: string;

  @ApiProperty(decimal('Last block.', '51'))
  toBlock!: string;

  @ApiPropertyOptional(unixSeconds('Time of the first block.', 1_607_144_400))
  fromTimestamp?: number;

  @ApiPropertyOptional(unixSeconds('Time of the last block.', 1_795_358_421))
  toTimestamp?: number;
}

export class FacetResponse {
  @ApiProperty(
    text(
      'base: blocks, transactions and token transfers; traces: internal transfers; atomic: imports and exports of a ' +
        'C-chain; logs:…: watched logs.',
      'base',
    ),
  )
  name!: string;

  @ApiProperty({ enum: STATES, description: STATE_DESCRIPTION, example: 'running' })
  state!: (typeof STATES)[number];

  @ApiProperty(decimal('Number of blocks that are complete.', '52'))
  blockCount!: string;

  @ApiProperty(decimal('Number of blocks within the range to be indexed that have still to be read.', '0'))
  missingBlockCount!: string;

  @ApiProperty(
    decimal(
      'Number of complete blocks whose rows are being made again; until then the old ones answer.',
      '0',
    ),
  )
  outdatedBlockCount!: string;

  @ApiProperty(decimal('Number of blocks that no node had when last asked; they are requested again.', '0'))
  unavailableBlockCount!: string;

  @ApiProperty(count('Number of ranges that the complete blocks form.', 1))
  rangeCount!: number;

  @ApiProperty({
    type: [BlockRangeResponse],
    description: 'The newest ranges of complete blocks, at most 20, newest first.',
  })
  ranges!: BlockRangeResponse[];
}

export class ChainResponse {
  @ApiProperty({
    enum: PUBLIC_NETWORKS,
    example: 'fuji',
    description: 'The network that the chain belongs to.',
  })
  network!: NetworkName;

  @ApiProperty(decimal('The EVM chain id, which transactions are signed with.', '43112'))
  evmChainId!: string;

  @ApiProperty(cb58('Id of the blockchain.', '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC'))
  blockchainId!: string;

  @ApiProperty(text('Name of the chain in the configuration.', 'Sandbox C-Chain'))
  name!: string;

  @ApiProperty({ type: NativeTokenResponse, description: 'The asset that gas is paid with.' })
  nativeToken!: NativeTokenResponse;

  @ApiProperty({
    enum: STATES,
    description: `State of the index that follows the tip. ${STATE_DESCRIPTION}`,
    example: 'running',
  })
  state!: (typeof STATES)[number];

  @ApiPropertyOptional(decimal('The newest indexed block.', '51'))
  lastBlock?: string;

  @ApiPropertyOptional(unixSeconds('Time of that block.', 1_795_358_421))
  lastBlockTimestamp?: number;

  @ApiProperty({ type: [FacetResponse], description: 'Each kind of data, which is indexed separately.' })
  facets!: FacetResponse[];
}

export class ListChainsResponse {
  @ApiProperty({ type: [ChainResponse], description: 'In the order of the configuration.' })
  chains!: ChainResponse[];
}

export interface IndexedChain extends MeasuredChain {
  /** Of the blocks at the ends of ranges, as far as they are known. */
  readonly times: ReadonlyMap<bigint, number>;
  /** Of a facet's index, or of the chain's at the tip. */
  readonly stateOf: (facet?: string) => FacetResponse['state'];
}

export function toChainResponse({ chain, checkpoint, facets, times, stateOf }: IndexedChain): ChainResponse {
  return {
    network: chain.network,
    evmChainId: chain.chainId.toString(),
    blockchainId: chain.blockchainId,
    name: chain.name,
    nativeToken: { symbol: chain.nativeSymbol, decimals: chain.nativeDecimals },
    state: stateOf(),
    ...(checkpoint === undefined
      ? {}
      : { lastBlock: checkpoint.height.toString(), lastBlockTimestamp: checkpoint.blockTime }),
    facets: facets.map((facet) => toFacetResponse(facet, stateOf(facet.name), times)),
  };
}

function toFacetResponse(
  { name, ranges, rangeCount, complete, missing, outdated, unavailable }: MeasuredFacet,
  state: FacetResponse['state'],
  times: ReadonlyMap<bigint, number>,
): FacetResponse {
  return {
    name,
    state,
    blockCount: complete.toString(),
    missingBlockCount: missing.toString(),
    outdatedBlockCount: outdated.toString(),
    unavailableBlockCount: unavailable.toString(),
    rangeCount,
    ranges: ranges.map(({ from, to }) => {
      const [fromTimestamp, toTimestamp] = [times.get(from), times.get(to)];
      return {
        fromBlock: from.toString(),
        toBlock: to.toString(),
        ...(fromTimestamp === undefined ? {} : { fromTimestamp }),
        ...(toTimestamp === undefined ? {} : { toTimestamp }),
      };
    }),
  };
}

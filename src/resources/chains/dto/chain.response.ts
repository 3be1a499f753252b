import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { INDEX_STATES } from '../../../../workflows/contracts/index-chain.js';
import { NETWORK_NAMES, type NetworkName } from '../../../platform/config/config.module.js';
import type { MeasuredChain, MeasuredFacet } from '../../../indexes/overview/measured-chains.js';

/** Of an index that has not reported yet. */
export const NOT_STARTED = 'not_started';

const STATES = [...INDEX_STATES, NOT_STARTED] as const;

const STATE_DESCRIPTION =
  'running: at the tip, or catching up; waiting: retries by itself; paused: by an operator; stopped: needs an operator.';

const DECIMAL = { type: 'string', pattern: '^\\d+$' } as const;

class NativeTokenResponse {
  @ApiProperty({ example: 'AVAX', description: 'Symbol of the asset.' })
  symbol: string;

  @ApiProperty({ type: 'integer', example: 18, description: 'Number of decimal places.' })
  decimals: number;
}

export class BlockRangeResponse {
  @ApiProperty({ ...DECIMAL, description: 'First block.', example: '0' })
  fromBlock: string;

  @ApiProperty({ ...DECIMAL, description: 'Last block.', example: '51' })
  toBlock: string;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Time of the first block. UNIX seconds.',
    example: 1_607_144_400,
  })
  fromTimestamp?: number;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Time of the last block. UNIX seconds.',
    example: 1_795_358_421,
  })
  toTimestamp?: number;
}

export class FacetResponse {
  @ApiProperty({
    description:
      'base: blocks, transactions and token transfers; traces: internal transfers; atomic: imports and exports of a ' +
      'C-chain; logs:…: watched logs.',
    example: 'base',
  })
  name: string;

  @ApiProperty({ enum: STATES, description: STATE_DESCRIPTION, example: 'running' })
  state: (typeof STATES)[number];

  @ApiProperty({ ...DECIMAL, description: 'Number of blocks that are complete.', example: '52' })
  blockCount: string;

  @ApiProperty({
    ...DECIMAL,
    description: 'Number of blocks within the range to be indexed that have still to be read, or read again.',
    example: '0',
  })
  missingBlockCount: string;

  @ApiProperty({
    ...DECIMAL,
    description: 'Number of blocks that no node had when last asked; they are requested again.',
    example: '0',
  })
  unavailableBlockCount: string;

  @ApiProperty({
    type: 'integer',
    description: 'Number of ranges that the complete blocks form.',
    example: 1,
  })
  rangeCount: number;

  @ApiProperty({
    type: [BlockRangeResponse],
    description: 'The newest ranges of complete blocks, at most 20, newest first.',
  })
  ranges: BlockRangeResponse[];
}

export class ChainResponse {
  @ApiProperty({
    enum: NETWORK_NAMES,
    example: 'fuji',
    description: 'The network that the chain belongs to.',
  })
  network: NetworkName;

  @ApiProperty({
    ...DECIMAL,
    example: '43112',
    description: 'The EVM chain id, which transactions are signed with.',
  })
  evmChainId: string;

  @ApiProperty({
    example: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
    description: 'Id of the blockchain. cb58.',
  })
  blockchainId: string;

  @ApiProperty({ example: 'Sandbox C-Chain', description: 'Name of the chain in the configuration.' })
  name: string;

  @ApiProperty({ type: NativeTokenResponse, description: 'The asset that gas is paid with.' })
  nativeToken: NativeTokenResponse;

  @ApiProperty({
    enum: STATES,
    description: `State of the index that follows the tip. ${STATE_DESCRIPTION}`,
    example: 'running',
  })
  state: (typeof STATES)[number];

  @ApiPropertyOptional({ ...DECIMAL, description: 'The newest indexed block.', example: '51' })
  lastBlock?: string;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Time of that block. UNIX seconds.',
    example: 1_795_358_421,
  })
  lastBlockTimestamp?: number;

  @ApiProperty({ type: [FacetResponse], description: 'Each kind of data, which is indexed separately.' })
  facets: FacetResponse[];
}

export class ListChainsResponse {
  @ApiProperty({ type: [ChainResponse], description: 'In the order of the configuration.' })
  chains: ChainResponse[];
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
  { name, ranges, rangeCount, complete, missing, unavailable }: MeasuredFacet,
  state: FacetResponse['state'],
  times: ReadonlyMap<bigint, number>,
): FacetResponse {
  return {
    name,
    state,
    blockCount: complete.toString(),
    missingBlockCount: missing.toString(),
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

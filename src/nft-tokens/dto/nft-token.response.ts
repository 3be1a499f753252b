import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { getAddress } from 'viem/utils';
import { ERC_TYPES, type ErcType } from '../../avalanche/evm/nft/nft-reader.js';
import { INDEX_STATUSES, type IndexStatus } from '../metadata/index-status.js';
import { type NftKey, type NftRow, statusOf } from '../nft-token.js';

const UNIX_SECONDS = { type: 'integer', example: 1_795_349_622 } as const;

export class NftMetadataResponse {
  @ApiProperty({ enum: INDEX_STATUSES, example: 'indexed' })
  indexStatus: IndexStatus;

  @ApiPropertyOptional({
    ...UNIX_SECONDS,
    description: 'When the metadata was last looked for, in vain or not.',
  })
  metadataLastUpdatedTimestamp?: number;

  @ApiPropertyOptional({ example: 'Collected Work #7' })
  name?: string;

  @ApiPropertyOptional()
  symbol?: string;

  @ApiPropertyOptional({ description: 'As the metadata has it.', example: 'ipfs://bafy…/7.png' })
  imageUri?: string;

  @ApiPropertyOptional()
  description?: string;

  @ApiPropertyOptional()
  animationUri?: string;

  @ApiPropertyOptional()
  externalUrl?: string;

  @ApiPropertyOptional({ example: 'ffffff' })
  background?: string;

  @ApiPropertyOptional({
    description: 'Of ERC-721: JSON. Integers of more than 15 digits are text in it.',
    example: '[{"trait_type":"Colour","value":"blue"}]',
  })
  attributes?: string;

  @ApiPropertyOptional({ type: 'integer', description: 'Of ERC-1155.', example: 0 })
  decimals?: number;

  @ApiPropertyOptional({ description: 'Of ERC-1155: JSON.', example: '{"colour":"blue"}' })
  properties?: string;
}

export class NftTokenResponse {
  @ApiProperty({ description: 'EIP-55.', example: '0x52908400098527886E0F7030069857D2E4169EE7' })
  address: string;

  @ApiPropertyOptional({
    description: 'Of ERC-721; empty when the contract has none.',
    example: 'Collected Works',
  })
  name?: string;

  @ApiPropertyOptional({ description: 'Of ERC-721; empty when the contract has none.', example: 'WORK' })
  symbol?: string;

  @ApiProperty({ enum: ERC_TYPES })
  ercType: ErcType;

  @ApiProperty({ description: 'Decimal.', example: '7' })
  tokenId: string;

  @ApiProperty({
    description: 'As the contract says it; empty when it says none that can be read.',
    example: 'ipfs://bafy…/7.json',
  })
  tokenUri: string;

  @ApiProperty({ type: NftMetadataResponse })
  metadata: NftMetadataResponse;

  @ApiPropertyOptional({
    description: 'Of ERC-721; EIP-55.',
    example: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  })
  ownerAddress?: string;
}

export function toNftTokenResponse({ address, tokenId }: NftKey, row: NftRow): NftTokenResponse {
  const isErc721 = row.erc_type === 'ERC-721';
  return {
    address: getAddress(address),
    ...(isErc721 ? { name: row.name ?? '', symbol: row.symbol ?? '' } : {}),
    ercType: row.erc_type,
    tokenId: tokenId.toString(),
    tokenUri: row.token_uri ?? '',
    metadata: toMetadata(row),
    ...(row.owner === null ? {} : { ownerAddress: getAddress(`0x${row.owner.toString('hex')}`) }),
  };
}

function toMetadata(row: NftRow): NftMetadataResponse {
  return {
    indexStatus: statusOf(row),
    ...(row.indexed_at === null ? {} : { metadataLastUpdatedTimestamp: Number(row.indexed_at) }),
    ...row.metadata,
  };
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { getAddress } from 'viem/utils';
import { ERC_TYPES, type ErcType } from '../../../avalanche/evm/nft/nft-reader.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { count, decimal, text, unixSeconds } from '../../../platform/http/openapi/fields.js';
import { INDEX_STATUSES, type IndexStatus } from '../metadata/index-status.js';
import { metadataOf, type NftKey, type NftRow, statusOf } from '../nft-token.js';

export class NftMetadataResponse {
  @ApiProperty({
    enum: INDEX_STATUSES,
    description: 'Result of looking for the metadata.',
    example: 'indexed',
  })
  indexStatus!: IndexStatus;

  @ApiPropertyOptional(
    unixSeconds('When the metadata was last looked for, successfully or not.', 1_795_373_777),
  )
  metadataLastUpdatedTimestamp?: number;

  @ApiPropertyOptional(text('Name in the metadata.', 'Red'))
  name?: string;

  @ApiPropertyOptional(text('Symbol in the metadata.', 'ART'))
  symbol?: string;

  @ApiPropertyOptional(
    text(
      'As the metadata has it.',
      'data:image/svg+xml;utf8,%3Csvg%20xmlns%3D%22http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%22%2F%3E',
    ),
  )
  imageUri?: string;

  @ApiPropertyOptional(text('Description in the metadata.', 'A red square'))
  description?: string;

  @ApiPropertyOptional(
    text(
      'As the metadata has it.',
      'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/red.mp4',
    ),
  )
  animationUri?: string;

  @ApiPropertyOptional(text('External URL in the metadata.', 'https://example.com/red'))
  externalUrl?: string;

  @ApiPropertyOptional(text('Background colour in the metadata.', 'ffffff'))
  background?: string;

  @ApiPropertyOptional(
    text(
      'ERC-721 only: attributes as JSON. Integers of more than 15 digits are strings.',
      '[{"trait_type":"colour","value":"red"}]',
    ),
  )
  attributes?: string;

  @ApiPropertyOptional(count('ERC-1155 only: number of decimal places in the metadata.', 0))
  decimals?: number;

  @ApiPropertyOptional(text('ERC-1155 only: properties as JSON.', '{"colour":"blue"}'))
  properties?: string;
}

export class NftTokenResponse {
  @ApiProperty(text('The contract. EIP-55.', EXAMPLES.nft.collection))
  address!: string;

  @ApiPropertyOptional(text('ERC-721 only: name of the contract; empty if it has none.', 'Gallery'))
  name?: string;

  @ApiPropertyOptional(text('ERC-721 only: symbol of the contract; empty if it has none.', 'ART'))
  symbol?: string;

  @ApiProperty({
    enum: ERC_TYPES,
    description: 'The standard that the contract follows.',
    example: 'ERC-721',
  })
  ercType!: ErcType;

  @ApiProperty(decimal('Id of the token, below 2^256.', EXAMPLES.nft.tokenId))
  tokenId!: string;

  @ApiProperty(
    text(
      'Token URI from the contract; empty if there is none that can be read.',
      'data:application/json;base64,eyJuYW1lIjoiUmVkIn0=',
    ),
  )
  tokenUri!: string;

  @ApiProperty({ type: NftMetadataResponse, description: 'Metadata found at tokenUri.' })
  metadata!: NftMetadataResponse;

  @ApiPropertyOptional(
    text('ERC-721 only: owner of the token. EIP-55.', '0xDB6f5e9d5C4a8D2Ba960563CF61FC4b1f8ee374f'),
  )
  ownerAddress?: string;
}

export function toNftTokenResponse({ address, tokenId }: NftKey, row: NftRow): NftTokenResponse {
  const isErc721 = row.ercType === 'ERC-721';
  return {
    address: getAddress(address),
    ...(isErc721 ? { name: row.name ?? '', symbol: row.symbol ?? '' } : {}),
    ercType: row.ercType,
    tokenId: tokenId.toString(),
    tokenUri: row.tokenUri ?? '',
    metadata: toMetadata(row, tokenId),
    ...(row.owner === null ? {} : { ownerAddress: getAddress(row.owner) }),
  };
}

function toMetadata(row: NftRow, tokenId: bigint): NftMetadataResponse {
  return {
    indexStatus: statusOf(row),
    ...(row.indexedAt === null ? {} : { metadataLastUpdatedTimestamp: row.indexedAt }),
    ...metadataOf(row, tokenId),
  };
}

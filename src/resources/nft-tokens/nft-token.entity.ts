import { Entity } from 'typeorm';
import type { ErcType } from '../../avalanche/evm/nft/nft-reader.js';
import {
  BigInteger,
  EvmHex,
  Int,
  Jsonb,
  SafeInteger,
  Text,
  Uint256,
} from '../../platform/database/columns.js';
import type { IndexStatus } from './metadata/index-status.js';
import type { NftMetadata } from './metadata/nft-metadata.js';

/** Why there is nothing to be fetched, as the contract's answers tell. */
export type Finding = 'missing_token' | 'invalid_token_uri' | 'metadata_content_too_large';

/**
 * What the contract reported at `readHeight` (`finding`: why there is no metadata to be fetched), and what was fetched from `tokenUri`
 * as of `indexHeight`; `indexStatus` is null until then. `movedHeight`, `updatedHeight`: the newest blocks in which the token moved,
 * or its metadata is reported to have changed. Times are UNIX seconds.
 */
@Entity({ name: 'nft_tokens' })
export class NftTokenEntity {
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @EvmHex({ key: true }) readonly address: `0x${string}`;
  @Uint256({ key: true }) readonly tokenId: bigint;
  @Text() readonly ercType: ErcType;
  @Text({ nullable: true }) readonly name: string | null;
  @Text({ nullable: true }) readonly symbol: string | null;
  @EvmHex({ nullable: true }) readonly owner: `0x${string}` | null;
  @Text({ nullable: true }) readonly tokenUri: string | null;
  @Text({ nullable: true }) readonly finding: Finding | null;
  @BigInteger() readonly readHeight: bigint;
  @SafeInteger() readonly readAt: number;
  @Text({ nullable: true }) readonly indexStatus: IndexStatus | null;
  @Jsonb({ nullable: true }) readonly metadata: NftMetadata | null;
  @BigInteger({ nullable: true }) readonly indexHeight: bigint | null;
  @SafeInteger({ nullable: true }) readonly indexedAt: number | null;
  @SafeInteger({ nullable: true }) readonly indexAgainAt: number | null;
  @Int({ default: 0 }) readonly failures: number;
  @BigInteger({ default: -1 }) readonly movedHeight: bigint;
  @BigInteger({ default: -1 }) readonly updatedHeight: bigint;
}

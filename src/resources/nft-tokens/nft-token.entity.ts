import { Entity, Index } from 'typeorm';
import type { ErcType } from '../../avalanche/evm/nft/nft-reader.js';
import * as Column from '../../platform/database/columns.js';
import type { IndexStatus } from './metadata/index-status.js';
import type { NftMetadata } from './metadata/nft-metadata.js';

/** Why there is nothing to be fetched, by the contract's answers. */
export type Finding = 'missing_token' | 'invalid_token_uri' | 'metadata_content_too_large';

/**
 * The contract's report at `readHeight` (`finding`: why there is no metadata to be fetched), and the metadata fetched from `tokenUri` as of
 * `indexHeight`; `indexStatus` is null until then. `movedHeight`, `updatedHeight`: the newest blocks in which the token moved, or its
 * metadata is reported to have changed. `requestedAt`: when somebody last asked for it, to the hour; `storedBytes`: about what the row
 * takes. Times are UNIX seconds.
 */
@Entity({ name: 'nft_tokens' })
@Index('nft_tokens_contract_idx', ['chainKey', 'address', 'requestedAt', 'storedBytes'])
@Index('nft_tokens_requested_idx', ['requestedAt'])
export class NftTokenEntity {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.EvmHex({ key: true }) readonly address!: `0x${string}`;
  @Column.Uint256({ key: true }) readonly tokenId!: bigint;
  @Column.Text() readonly ercType!: ErcType;
  @Column.Text({ nullable: true }) readonly name!: string | null;
  @Column.Text({ nullable: true }) readonly symbol!: string | null;
  @Column.EvmHex({ nullable: true }) readonly owner!: `0x${string}` | null;
  @Column.Text({ nullable: true }) readonly tokenUri!: string | null;
  @Column.Text({ nullable: true }) readonly finding!: Finding | null;
  @Column.BigInteger() readonly readHeight!: bigint;
  @Column.SafeInteger() readonly readAt!: number;
  @Column.Text({ nullable: true }) readonly indexStatus!: IndexStatus | null;
  @Column.Jsonb({ nullable: true }) readonly metadata!: NftMetadata | null;
  @Column.BigInteger({ nullable: true }) readonly indexHeight!: bigint | null;
  @Column.SafeInteger({ nullable: true }) readonly indexedAt!: number | null;
  @Column.SafeInteger({ nullable: true }) readonly indexAgainAt!: number | null;
  @Column.Int({ default: 0 }) readonly failures!: number;
  @Column.BigInteger({ default: -1 }) readonly movedHeight!: bigint;
  @Column.BigInteger({ default: -1 }) readonly updatedHeight!: bigint;
  @Column.SafeInteger() readonly requestedAt!: number;
  @Column.Int() readonly storedBytes!: number;
}

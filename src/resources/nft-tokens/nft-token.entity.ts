import { Entity } from 'typeorm';
import {
  BigInteger,
  EvmHex,
  Int,
  Jsonb,
  SafeInteger,
  Text,
  Uint256,
} from '../../platform/database/columns.js';

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
  @Text() readonly ercType: string;
  @Text({ nullable: true }) readonly name: string | null;
  @Text({ nullable: true }) readonly symbol: string | null;
  @EvmHex({ nullable: true }) readonly owner: `0x${string}` | null;
  @Text({ nullable: true }) readonly tokenUri: string | null;
  @Text({ nullable: true }) readonly finding: string | null;
  @BigInteger() readonly readHeight: bigint;
  @SafeInteger() readonly readAt: number;
  @Text({ nullable: true }) readonly indexStatus: string | null;
  @Jsonb({ nullable: true }) readonly metadata: unknown;
  @BigInteger({ nullable: true }) readonly indexHeight: bigint | null;
  @SafeInteger({ nullable: true }) readonly indexedAt: number | null;
  @SafeInteger({ nullable: true }) readonly indexAgainAt: number | null;
  @Int({ default: 0 }) readonly failures: number;
  @BigInteger({ default: -1 }) readonly movedHeight: bigint;
  @BigInteger({ default: -1 }) readonly updatedHeight: bigint;
}

import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { ErcType, NftToken } from '../../avalanche/evm/nft/nft-reader.js';
import { NETWORK_NAMES } from '../../platform/config/config.module.js';
import type { EvmChainRef } from '../../platform/database/chains.js';
import type { IndexStatus } from './metadata/index-status.js';
import type { NftMetadata } from './metadata/nft-metadata.js';

export interface NftKey extends EvmChainRef {
  readonly address: Address;
  readonly tokenId: bigint;
}

/** Why there is nothing to be fetched, as the contract's answers tell. */
export type Finding = 'missing_token' | 'invalid_token_uri' | 'metadata_content_too_large';

/** What is on record of one NFT; heights and times as the driver has them. */
export interface NftRow {
  readonly erc_type: ErcType;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly owner: Buffer | null;
  readonly token_uri: string | null;
  readonly finding: Finding | null;
  readonly read_height: string;
  readonly read_at: string;
  readonly index_status: IndexStatus | null;
  readonly metadata: NftMetadata | null;
  readonly index_height: string | null;
  readonly indexed_at: string | null;
  readonly index_again_at: string | null;
  readonly failures: number;
  readonly moved_height: string;
  readonly updated_height: string;
}

/** The key of a workflow's input. */
export function parseNftKey(input: {
  network: string;
  chainId: string;
  address: string;
  tokenId: string;
}): NftKey {
  const network = NETWORK_NAMES.find((name) => name === input.network);
  if (network === undefined) throw new RangeError(`there is no network ${input.network}`);
  return {
    network,
    chainId: BigInt(input.chainId),
    address: `0x${input.address.slice(2)}`,
    tokenId: BigInt(input.tokenId),
  };
}

export function findingOf({ ercType, owner, uri }: NftToken): Finding | null {
  const isOwned = ercType === 'ERC-1155' || owner !== null;
  switch (uri.status) {
    case 'said':
      return isOwned ? null : 'missing_token';
    case 'unsaid':
      // Of an ERC-1155, which has no owner to ask for, the URI is the only sign of life.
      return owner === null ? 'missing_token' : 'invalid_token_uri';
    case 'unreadable':
      return 'invalid_token_uri';
    case 'tooLarge':
      return 'metadata_content_too_large';
  }
}

/** Whether the contract knows nothing of the token: no owner, no URI. */
export function isNoToken(row: Pick<NftRow, 'erc_type' | 'owner' | 'token_uri' | 'finding'>): boolean {
  const { erc_type, owner, token_uri, finding } = row;
  return erc_type === 'ERC-721' && finding === 'missing_token' && owner === null && token_uri === null;
}

export function statusOf({ finding, index_status }: NftRow): IndexStatus {
  return finding ?? index_status ?? 'unindexed';
}

/** Whether the contract has to be asked again: for its age, or because blocks after that tell of a change. */
export function isReadDue(
  row: NftRow,
  { now, maxAgeSeconds }: { now: number; maxAgeSeconds: number },
): boolean {
  const { read_at, read_height, moved_height, updated_height } = row;
  const readHeight = BigInt(read_height);
  return (
    now - Number(read_at) >= maxAgeSeconds ||
    BigInt(moved_height) > readHeight ||
    BigInt(updated_height) > readHeight
  );
}

/** Whether the metadata has to be fetched, for the first time or again. */
export function isIndexDue(row: NftRow, now: number): boolean {
  const { finding, index_again_at, index_height, updated_height } = row;
  if (finding !== null) return false;
  return (
    index_again_at === null ||
    index_height === null ||
    now >= Number(index_again_at) ||
    BigInt(updated_height) > BigInt(index_height)
  );
}

/** Whether the metadata has not been looked for yet. */
export function isUnindexed({ finding, index_status }: NftRow): boolean {
  return finding === null && index_status === null;
}

import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { NftToken } from '../../avalanche/evm/nft/nft-reader.js';
import { metadataSource } from '../../avalanche/evm/nft/token-uri.js';
import { isNetworkName } from '../../platform/config/network-names.js';
import type { EvmChainRef } from '../../platform/database/chains.js';
import type { IndexStatus } from './metadata/index-status.js';
import { MAX_METADATA_BYTES, type NftMetadata, readNftMetadata } from './metadata/nft-metadata.js';
import type { Finding, NftTokenEntity } from './nft-token.entity.js';

export interface NftKey extends EvmChainRef {
  readonly address: Address;
  readonly tokenId: bigint;
}

/** So often at most is written down that a token is asked for: requests are many more than tokens. */
export const REQUEST_NOTED_SECONDS = 3_600;

/** Until then it is brought up to date behind the answer. */
const OWNER_MAX_AGE_SECONDS = 300;

const NOTHING_REMOTE = { ipfsGateways: [], arweaveGateways: [], maxBytes: MAX_METADATA_BYTES };

/** The record of one NFT. */
export type NftRow = Omit<NftTokenEntity, 'chainKey' | 'address' | 'tokenId' | 'storedBytes'>;

/** The key of a workflow's input. */
export function parseNftKey(input: {
  network: string;
  chainId: string;
  address: string;
  tokenId: string;
}): NftKey {
  const { network } = input;
  if (!isNetworkName(network)) throw new RangeError(`there is no network ${network}`);
  return {
    network,
    chainId: BigInt(input.chainId),
    address: `0x${input.address.slice(2)}`,
    tokenId: BigInt(input.tokenId),
  };
}

/** Among those of all chains. */
export function nftName({ network, chainId, address, tokenId }: NftKey): string {
  return `${network}:${chainId}:${address}:${tokenId}`;
}

export function findingOf({ ercType, owner, uri }: NftToken): Finding | null {
  const isOwned = ercType === 'ERC-1155' || owner !== null;
  switch (uri.status) {
    case 'given':
      return isOwned ? null : 'missing_token';
    case 'missing':
      // Of an ERC-1155, which has no owner to ask for, the URI is the only sign of life.
      return owner === null ? 'missing_token' : 'invalid_token_uri';
    case 'unreadable':
      return 'invalid_token_uri';
    case 'tooLarge':
      return 'metadata_content_too_large';
  }
}

/** Whether the contract knows nothing of the token: no owner, no URI. */
export function isNoToken(row: Pick<NftRow, 'ercType' | 'owner' | 'tokenUri' | 'finding'>): boolean {
  const { ercType, owner, tokenUri, finding } = row;
  return ercType === 'ERC-721' && finding === 'missing_token' && owner === null && tokenUri === null;
}

export function statusOf({ finding, indexStatus }: NftRow): IndexStatus {
  return finding ?? indexStatus ?? 'unindexed';
}

/** The fetched metadata, or that inside the URI itself, which is stored only there and read whenever it is shown. */
export function metadataOf(
  { metadata, indexStatus, ercType, tokenUri }: NftRow,
  tokenId: bigint,
): NftMetadata {
  const mayBeThere = indexStatus === 'indexed' || indexStatus === 'unknown';
  if (metadata !== null || !mayBeThere || tokenUri === null) return metadata ?? {};
  const source = metadataSource(tokenUri, tokenId, NOTHING_REMOTE);
  if (source.kind !== 'inline') return {};
  const read = readNftMetadata(source.content, { ercType, tokenId });
  return read.status === 'indexed' ? read.metadata : {};
}

/** Whether it has to be noted again that somebody asks for the token. */
export function isRequestDue({ requestedAt }: NftRow, now: number): boolean {
  return now - requestedAt >= REQUEST_NOTED_SECONDS;
}

/** Whether the contract has to be asked again: for its age, or because later blocks report a change. */
export function isReadDue(
  { readAt, readHeight, movedHeight, updatedHeight }: NftRow,
  { now, maxAgeSeconds }: { now: number; maxAgeSeconds: number },
): boolean {
  return now - readAt >= maxAgeSeconds || movedHeight > readHeight || updatedHeight > readHeight;
}

/** Whether the owner is too old to be shown while a newer one can be had: it is what callers act upon. Contracts of ERC-1155 have none. */
export function isOwnerOld(
  { ercType, readAt, readHeight, movedHeight }: NftRow,
  { now, maxAgeSeconds }: { now: number; maxAgeSeconds: number },
): boolean {
  if (ercType !== 'ERC-721') return false;
  return now - readAt >= Math.max(OWNER_MAX_AGE_SECONDS, maxAgeSeconds) || movedHeight > readHeight;
}

/** Whether the metadata has to be fetched, for the first time or again. */
export function isIndexDue(
  { finding, indexAgainAt, indexHeight, updatedHeight }: NftRow,
  now: number,
): boolean {
  if (finding !== null) return false;
  return indexAgainAt === null || indexHeight === null || now >= indexAgainAt || updatedHeight > indexHeight;
}

/** Whether the metadata has not been looked for yet. */
export function isUnindexed({ finding, indexStatus }: NftRow): boolean {
  return finding === null && indexStatus === null;
}

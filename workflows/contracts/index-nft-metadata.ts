import type { TaskQueue } from './task-queues.js';

/** Brings what is on record of one NFT up to date: the contract's answers, and its metadata. Payloads are plain JSON. */
export const NFTS_QUEUE: TaskQueue = 'nfts';

export interface IndexNftMetadataInput {
  network: string;
  /** EVM chain id, decimal. */
  chainId: string;
  /** Lower-case hex with 0x. */
  address: string;
  /** Decimal. */
  tokenId: string;
  timeouts: NftTimeouts;
}

/** In milliseconds. */
interface NftTimeouts {
  /** Silence after which a worker counts as dead and another one takes over. */
  heartbeatMs: number;
  /** Before a second attempt; twice as long before each further one. */
  retryMs: number;
}

export interface IndexedNft {
  /** As the API shows it; null when the contract turned out to be none of NFTs. */
  indexStatus: string | null;
}

/** Requests for the same token in the meantime join it. */
export function makeIndexNftMetadataWorkflowId(input: Omit<IndexNftMetadataInput, 'timeouts'>): string {
  return `index-nft-metadata:${input.network}:${input.chainId}:${input.address}:${input.tokenId}`;
}

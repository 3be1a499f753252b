import { Injectable } from '@nestjs/common';
import type { ErcType } from '../../../avalanche/evm/nft/nft-reader.js';
import { PublicHttpClient } from '../../../avalanche/evm/nft/public-http-client.js';
import { PublicHttpError } from '../../../avalanche/evm/nft/public-http.error.js';
import { metadataSource } from '../../../avalanche/evm/nft/token-uri.js';
import { Config } from '../../../platform/config/config.module.js';
import type { IndexStatus } from './index-status.js';
import { MAX_METADATA_BYTES, type NftMetadata, readNftMetadata } from './nft-metadata.js';

const CONNECT_TIMEOUT_MS = 5_000;
const FETCH_TIMEOUT_MS = 10_000;

export interface FetchedMetadata {
  readonly status: Exclude<IndexStatus, 'unknown' | 'unindexed' | 'missing_token'>;
  readonly metadata?: NftMetadata;
  /** When the host may be asked again. */
  readonly retryAfterMs?: number | undefined;
}

export interface MetadataRequest {
  readonly uri: string;
  readonly ercType: ErcType;
  readonly tokenId: bigint;
  readonly signal: AbortSignal;
}

/** Of several gateways that failed, the one that says most about the metadata: further down is less. */
const TELLING: readonly FetchedMetadata['status'][] = [
  'metadata_content_too_large',
  'invalid_metadata',
  'invalid_metadata_json',
  'throttled_token_uri',
  'unreachable_token_uri',
];

/** Gets metadata from wherever a token's URI says it is. Its answer tells exactly what happened. */
@Injectable()
export class MetadataFetcher {
  private readonly client: PublicHttpClient;

  constructor(private readonly config: Config) {
    this.client = new PublicHttpClient({
      trustedHosts: config.env.NFT_TRUSTED_HOSTS,
      maxBytes: MAX_METADATA_BYTES,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      totalTimeoutMs: FETCH_TIMEOUT_MS,
    });
  }

  /** Rejects with the signal's reason, or with HostBusyError. */
  async fetch(request: MetadataRequest): Promise<FetchedMetadata> {
    const { env } = this.config;
    const source = metadataSource(request.uri, request.tokenId, {
      ipfsGateways: env.NFT_IPFS_GATEWAYS,
      arweaveGateways: env.NFT_ARWEAVE_GATEWAYS,
      maxBytes: MAX_METADATA_BYTES,
    });
    switch (source.kind) {
      case 'inline':
        // What it says stays in the URI (`metadataOf`): kept as well, it would be there twice.
        return { status: readNftMetadata(source.content, request).status };
      case 'none':
        return { status: source.fault };
      case 'remote':
        return this.fetchFirst(source.urls, request);
    }
  }

  /** The first URL that has it. */
  private async fetchFirst(urls: readonly URL[], request: MetadataRequest): Promise<FetchedMetadata> {
    const failures: FetchedMetadata[] = [];
    for (const url of urls) {
      const fetched = await this.fetchOne(url, request);
      if (fetched.status === 'indexed') return fetched;
      failures.push(fetched);
    }
    const [mostTelling] = failures.sort((a, b) => TELLING.indexOf(a.status) - TELLING.indexOf(b.status));
    return mostTelling ?? { status: 'invalid_token_uri' };
  }

  private async fetchOne(url: URL, request: MetadataRequest): Promise<FetchedMetadata> {
    try {
      return readNftMetadata(await this.client.get(url, request.signal), request);
    } catch (error) {
      if (!(error instanceof PublicHttpError)) throw error;
      return { status: statusOf(error), retryAfterMs: error.retryAfterMs };
    }
  }
}

function statusOf({ failure }: PublicHttpError): FetchedMetadata['status'] {
  switch (failure) {
    case 'REFUSED_URL':
      return 'invalid_token_uri';
    case 'UNREACHABLE':
      return 'unreachable_token_uri';
    case 'THROTTLED':
      return 'throttled_token_uri';
    case 'TOO_LARGE':
      return 'metadata_content_too_large';
  }
}

import { Injectable } from '@nestjs/common';
import type { ErcType } from '../../../avalanche/evm/nft/nft-reader.js';
import { PublicHttpClient } from '../../../platform/public-http/public-http-client.js';
import { PublicHttpError } from '../../../platform/public-http/public-http.error.js';
import { metadataSource } from '../../../avalanche/evm/nft/token-uri.js';
import { Config } from '../../../platform/config/config.module.js';
import { DeadContent } from './dead-content.js';
import type { IndexStatus } from './index-status.js';
import { MAX_METADATA_BYTES, type NftMetadata, readNftMetadata } from './nft-metadata.js';

const CONNECT_TIMEOUT_MS = 5_000;
const FETCH_TIMEOUT_MS = 10_000;
/** A gateway that has not answered by then is not waited for alone. */
const HEDGE_AFTER_MS = 1_500;

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

/** Of several gateways that failed, the most specific one: further down is less. */
const TELLING: readonly FetchedMetadata['status'][] = [
  'metadata_content_too_large',
  'invalid_metadata',
  'invalid_metadata_json',
  'throttled_token_uri',
  'unreachable_token_uri',
];

/** Gets metadata from a token's URI. Its result names exactly what happened. */
@Injectable()
export class MetadataFetcher {
  private readonly client: PublicHttpClient;
  /** As `URL.host` names them. */
  private readonly gatewayHosts: ReadonlySet<string>;
  private readonly dead = new DeadContent();
  hedgeAfterMs = HEDGE_AFTER_MS;

  constructor(private readonly config: Config) {
    const { NFT_IPFS_GATEWAYS, NFT_ARWEAVE_GATEWAYS } = config.env;
    this.gatewayHosts = new Set(
      [...NFT_IPFS_GATEWAYS, ...NFT_ARWEAVE_GATEWAYS].map((gateway) => new URL(gateway).host),
    );
    this.client = new PublicHttpClient({
      trustedHosts: config.env.NFT_TRUSTED_HOSTS,
      gatewayHosts: this.gatewayHosts,
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
        // The content stays in the URI (`metadataOf`): stored as well, it would be there twice.
        return { status: readNftMetadata(source.content, request).status };
      case 'none':
        return { status: source.fault };
      case 'remote':
        return this.fetchRemote(source, request);
    }
  }

  /** Gateways are not asked for what none of them has found a moment ago: each time it takes them as long as they may take. */
  private async fetchRemote(
    { urls, contentId }: { readonly urls: readonly URL[]; readonly contentId?: string },
    request: MetadataRequest,
  ): Promise<FetchedMetadata> {
    const isDead = contentId !== undefined && this.dead.has(contentId);
    const asked = isDead ? urls.filter(({ host }) => !this.gatewayHosts.has(host)) : urls;
    const attempts = await this.fetchFirst(asked, request);
    const found = attempts.find(({ fetched }) => fetched.status === 'indexed');
    if (found !== undefined) return found.fetched;
    const isLate = attempts.some(({ url, isTimedOut }) => isTimedOut && this.gatewayHosts.has(url.host));
    if (contentId !== undefined && isLate) this.dead.add(contentId);
    const [mostSpecific] = attempts
      .map(({ fetched }) => fetched)
      .sort((a, b) => TELLING.indexOf(a.status) - TELLING.indexOf(b.status));
    return mostSpecific ?? { status: 'unreachable_token_uri' };
  }

  /** Until one URL has it: one after the other, each as soon as the last has failed or lets us wait. */
  private async fetchFirst(urls: readonly URL[], request: MetadataRequest): Promise<Attempt[]> {
    const ended = new AbortController();
    const signal = AbortSignal.any([request.signal, ended.signal]);
    const waiting = [...urls];
    const running = new Set<Promise<Settled>>();
    const attempts: Attempt[] = [];
    const errors: unknown[] = [];
    try {
      while (waiting.length + running.size > 0) {
        const url = waiting.shift();
        if (url !== undefined) running.add(settle(this.fetchOne(url, { ...request, signal })));
        const first = await firstOf(running, waiting.length > 0 ? this.hedgeAfterMs : undefined);
        if (first === undefined) continue;
        running.delete(first.promise);
        if ('error' in first.settled) errors.push(first.settled.error);
        else attempts.push(first.settled.attempt);
        if (attempts.at(-1)?.fetched.status === 'indexed') return attempts;
      }
    } finally {
      ended.abort();
    }
    if (errors.length > 0) throw errors[0];
    return attempts;
  }

  private async fetchOne(url: URL, request: MetadataRequest): Promise<Attempt> {
    try {
      return { url, fetched: readNftMetadata(await this.client.get(url, request.signal), request) };
    } catch (error) {
      if (!(error instanceof PublicHttpError)) throw error;
      const { failure, retryAfterMs } = error;
      return { url, fetched: { status: statusOf(error), retryAfterMs }, isTimedOut: failure === 'TIMED_OUT' };
    }
  }
}

interface Attempt {
  readonly url: URL;
  readonly fetched: FetchedMetadata;
  readonly isTimedOut?: boolean;
}

type Settled = { readonly attempt: Attempt } | { readonly error: unknown };

function settle(attempt: Promise<Attempt>): Promise<Settled> {
  return attempt.then(
    (done) => ({ attempt: done }),
    (error: unknown) => ({ error }),
  );
}

/** The first that ends; undefined when none has after so long. */
async function firstOf(
  running: ReadonlySet<Promise<Settled>>,
  afterMs: number | undefined,
): Promise<{ promise: Promise<Settled>; settled: Settled } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    if (afterMs !== undefined) timer = setTimeout(() => resolve(undefined), afterMs);
  });
  try {
    const ends = [...running].map((promise) => promise.then((settled) => ({ promise, settled })));
    return await Promise.race([...ends, late]);
  } finally {
    clearTimeout(timer);
  }
}

function statusOf({ failure }: PublicHttpError): FetchedMetadata['status'] {
  switch (failure) {
    case 'REFUSED_URL':
      return 'invalid_token_uri';
    case 'UNREACHABLE':
    case 'TIMED_OUT':
      return 'unreachable_token_uri';
    case 'THROTTLED':
      return 'throttled_token_uri';
    case 'TOO_LARGE':
      return 'metadata_content_too_large';
  }
}

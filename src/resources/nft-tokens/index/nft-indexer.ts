import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.module.js';
import { type FetchedMetadata, MetadataFetcher } from '../metadata/metadata-fetcher.js';
import type { IndexStatus } from '../metadata/index-status.js';
import { NftContracts } from './nft-contracts.js';
import { isIndexDue, isReadDue, type NftKey, type NftRow, statusOf } from '../nft-token.js';
import { type IndexOutcome, NftTokenRepository } from '../nft-token.repository.js';
import { DAY_SECONDS } from '../../../platform/time.js';

/** After a first failure; twice as long after each further one. */
const FIRST_RETRY_SECONDS = 60;
const MAX_FAILURES = 20;
/** A week: then metadata is fetched again. */
const METADATA_MAX_AGE_SECONDS = 7 * DAY_SECONDS;

/** Brings what is on record of an NFT up to date. */
@Injectable()
export class NftIndexer {
  constructor(
    private readonly config: Config,
    private readonly contracts: NftContracts,
    private readonly fetcher: MetadataFetcher,
    private readonly tokens: NftTokenRepository,
  ) {}

  /** Indexes the token as far as it is due, and returns its status; null when the contract is none of NFTs. */
  async index(key: NftKey, signal: AbortSignal): Promise<IndexStatus | null> {
    const known = await this.tokens.find(key);
    const row = known === undefined || this.isReadDue(known) ? await this.read(key, signal) : known;
    if (row === undefined) return null;
    if (row.tokenUri === null || !isIndexDue(row, nowSeconds())) return statusOf(row);
    const fetched = await this.fetcher.fetch({
      uri: row.tokenUri,
      ercType: row.ercType,
      tokenId: key.tokenId,
      signal,
    });
    await this.tokens.saveOutcome(key, row, this.toOutcome(row, fetched));
    return fetched.status;
  }

  /** It could not be found out what is with the metadata; what was known of it stays. */
  async recordFailure(key: NftKey): Promise<void> {
    const row = await this.tokens.find(key);
    if (row !== undefined) {
      await this.tokens.saveOutcome(key, row, this.toOutcome(row, { status: 'unknown' }));
    }
  }

  private isReadDue(row: NftRow): boolean {
    return isReadDue(row, { now: nowSeconds(), maxAgeSeconds: this.config.env.NFT_TOKEN_MAX_AGE_SECONDS });
  }

  /** As the contract reports it now; undefined when it is none of NFTs, and nothing is kept of it then. */
  async read(key: NftKey, signal: AbortSignal): Promise<NftRow | undefined> {
    const token = await this.contracts.read(key, signal);
    if (token !== undefined) return this.tokens.saveReading(key, token, nowSeconds());
    await this.tokens.remove(key);
    return undefined;
  }

  private toOutcome(
    { failures }: NftRow,
    { status, metadata, retryAfterMs = 0 }: FetchedMetadata | FailedAttempt,
  ): IndexOutcome {
    const now = nowSeconds();
    switch (status) {
      case 'throttled_token_uri':
        return { status, now, againAt: now + Math.ceil(retryAfterMs / 1_000), failures };
      case 'unreachable_token_uri':
      case 'unknown': {
        const waitSeconds = Math.min(FIRST_RETRY_SECONDS * 2 ** failures, METADATA_MAX_AGE_SECONDS);
        return { status, now, againAt: now + waitSeconds, failures: Math.min(failures + 1, MAX_FAILURES) };
      }
      default:
        // Another attempt ends like this one unless something has changed.
        return { status, metadata, now, againAt: now + METADATA_MAX_AGE_SECONDS, failures: 0 };
    }
  }
}

/** The attempt itself has come to nothing. */
interface FailedAttempt {
  readonly status: 'unknown';
  readonly metadata?: undefined;
  readonly retryAfterMs?: undefined;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

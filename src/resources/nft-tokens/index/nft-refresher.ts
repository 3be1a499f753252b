import { Injectable, Logger } from '@nestjs/common';
import { nftName, type NftKey, type NftRow } from '../nft-token.js';
import { NftIndexer } from './nft-indexer.js';

/** A caller waits, for whom there is an answer already. */
const MAX_WAIT_MS = 1_000;
/** Tokens at a time: a node that does not answer must not hold up everybody who asks for one. */
const MAX_AT_ONCE = 16;

/** Reads known tokens from their contracts while callers wait: within a bound, and at a time once for each. */
@Injectable()
export class NftRefresher {
  private readonly logger = new Logger(NftRefresher.name);
  private readonly running = new Map<string, Promise<NftRow | undefined>>();
  maxWaitMs = MAX_WAIT_MS;

  constructor(private readonly indexer: NftIndexer) {}

  /** As it is now; undefined when the contract is none of NFTs any more. What is known, when that is not to be had in time. */
  async refresh(key: NftKey, known: NftRow): Promise<NftRow | undefined> {
    const name = nftName(key);
    const running = this.running.get(name);
    if (running === undefined && this.running.size >= MAX_AT_ONCE) return known;
    try {
      return await (running ?? this.start(name, key));
    } catch (error) {
      this.logger.warn({ err: error, ...key }, 'an NFT is shown as it was: its contract has not answered');
      return known;
    }
  }

  private start(name: string, key: NftKey): Promise<NftRow | undefined> {
    const reading = this.indexer
      .read(key, AbortSignal.timeout(this.maxWaitMs))
      .finally(() => this.running.delete(name));
    this.running.set(name, reading);
    return reading;
  }
}

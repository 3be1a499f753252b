import { Injectable } from '@nestjs/common';
import { NftIndexer } from '../src/resources/nft-tokens/index/nft-indexer.js';
import { parseNftKey } from '../src/resources/nft-tokens/nft-token.js';
import type { NftActivities as Contract } from '../workflows/contracts/activities.js';
import type { IndexedNft, IndexNftMetadataInput } from '../workflows/contracts/index-nft-metadata.js';
import { asApplicationFailure } from './application-failure.js';
import { withHeartbeat } from './with-heartbeat.js';

@Injectable()
export class NftActivities implements Contract {
  constructor(private readonly indexer: NftIndexer) {}

  @asApplicationFailure()
  async indexNft(input: IndexNftMetadataInput): Promise<IndexedNft> {
    const key = parseNftKey(input);
    return { indexStatus: await withHeartbeat((signal) => this.indexer.index(key, signal)) };
  }

  async recordNftFailure(input: IndexNftMetadataInput): Promise<void> {
    await this.indexer.recordFailure(parseNftKey(input));
  }
}

import { Injectable } from '@nestjs/common';
import { cancellationSignal } from '@temporalio/activity';
import { NftIndexer } from '../src/resources/nft-tokens/index/nft-indexer.js';
import { parseNftKey } from '../src/resources/nft-tokens/nft-token.js';
import type { NftActivities as Contract } from '../workflows/contracts/activities.js';
import type { IndexedNft, IndexNftMetadataInput } from '../workflows/contracts/index-nft-metadata.js';
import { asApplicationFailure } from './application-failure.js';
import { startHeartbeat } from './start-heartbeat.js';

@Injectable()
export class NftActivities implements Contract {
  constructor(private readonly indexer: NftIndexer) {}

  @asApplicationFailure()
  async indexNft(input: IndexNftMetadataInput): Promise<IndexedNft> {
    const stopHeartbeat = startHeartbeat();
    try {
      return { indexStatus: await this.indexer.index(parseNftKey(input), cancellationSignal()) };
    } finally {
      stopHeartbeat();
    }
  }

  async recordNftFailure(input: IndexNftMetadataInput): Promise<void> {
    await this.indexer.recordFailure(parseNftKey(input));
  }
}

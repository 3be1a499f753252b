import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MetadataFetcher } from '../metadata/metadata-fetcher.js';
import { NftContracts } from './nft-contracts.js';
import { NftIndexer } from './nft-indexer.js';
import { NftEviction } from '../nft-eviction.js';
import { NftTokenEntity } from '../nft-token.entity.js';
import { NftTokenRepository } from '../nft-token.repository.js';
import { NftUpdates } from './nft-updates.projection.js';

/** Providers that the API and the workers share for NFTs. */
@Module({
  imports: [TypeOrmModule.forFeature([NftTokenEntity])],
  providers: [NftContracts, NftEviction, NftTokenRepository, MetadataFetcher, NftIndexer, NftUpdates],
  exports: [NftContracts, NftTokenRepository, NftIndexer, NftUpdates],
})
export class NftIndexModule {}

import type { DataSource } from 'typeorm';
import { Config } from '../../../src/platform/config/config.module.js';
import { parseEnv } from '../../../src/platform/config/env.schema.js';
import { Database } from '../../../src/platform/database/database.js';
import { NftEviction } from '../../../src/resources/nft-tokens/nft-eviction.js';
import { NftTokenEntity } from '../../../src/resources/nft-tokens/nft-token.entity.js';
import { NftTokenRepository } from '../../../src/resources/nft-tokens/nft-token.repository.js';

/** The NFTs on record, as one process has them; `maxBytes` instead of the configured limit. */
export function openNftStore(dataSource: DataSource, maxBytes?: number): NftTokenRepository {
  const database = new Database(dataSource);
  const eviction = new NftEviction(new Config(parseEnv({ DATABASE_URL: 'postgres://unused' })), database);
  if (maxBytes !== undefined) eviction.maxBytes = maxBytes;
  return new NftTokenRepository(dataSource.getRepository(NftTokenEntity), database, eviction);
}

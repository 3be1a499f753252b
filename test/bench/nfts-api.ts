import 'reflect-metadata';
import { Controller, Get, Header, Module, Param } from '@nestjs/common';
import pg from 'pg';
import { Config, ConfigModule } from '../../src/platform/config/config.module.js';
import { DatabaseModule } from '../../src/platform/database/database.module.js';
import { EvmChainsModule } from '../../src/platform/evm-chains/evm-chains.module.js';
import { JSON_CONTENT_TYPE } from '../../src/platform/http/adapter/lossless-json.js';
import { NetworksModule } from '../../src/platform/networks/networks.module.js';
import { NftTokenRepository } from '../../src/resources/nft-tokens/nft-token.repository.js';
import { NftIndexModule } from '../../src/resources/nft-tokens/index/nft-index.module.js';
import { NftTokensModule } from '../../src/resources/nft-tokens/nft-tokens.module.js';
import { TemporalModule } from '../../src/platform/temporal/temporal.module.js';
import { NFT_CHAIN, NFT_COLLECTION } from './nfts-data.js';
import { serveModule } from '../support/harness/serve-module.js';

/** Leaves every value as the text that Postgres sent. */
const AS_TEXT = { getTypeParser: () => (value: unknown) => value };

/** The same SQL, prepared as well, the bare driver, and nothing made of the row. */
@Controller({ path: 'bare', version: '1' })
class BareController {
  private readonly pool: pg.Pool;

  constructor(
    { env }: Config,
    private readonly tokens: NftTokenRepository,
  ) {
    this.pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_SIZE });
  }

  @Get(':tokenId')
  @Header('content-type', JSON_CONTENT_TYPE)
  async get(@Param('tokenId') tokenId: string): Promise<string> {
    const key = { ...NFT_CHAIN, address: NFT_COLLECTION, tokenId: BigInt(tokenId) };
    const { text, values } = this.tokens.statement(key);
    const { rows } = await this.pool.query<Record<string, unknown>>({
      name: 'bare',
      text,
      values: [...values],
      types: AS_TEXT,
    });
    return JSON.stringify(rows[0]);
  }
}

@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    TemporalModule,
    NetworksModule,
    EvmChainsModule,
    NftTokensModule,
    NftIndexModule,
  ],
  controllers: [BareController],
})
class NftsModule {}

await serveModule(NftsModule);

import { Module } from '@nestjs/common';
import { ApiUsageModule } from './api-usage/api-usage.module.js';
import { ChainsModule } from './chains/chains.module.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { DelegatorsModule } from './delegators/delegators.module.js';
import { EvmChainsModule } from './evm-chains/evm-chains.module.js';
import { RequestRecordsModule } from './http/request-records.module.js';
import { HealthModule } from './health/health.module.js';
import { IndexFreshnessModule } from './index-freshness/index-freshness.module.js';
import { InterchainMessagesModule } from './interchain-messages/interchain-messages.module.js';
import { NativeSupplyModule } from './native-supply/native-supply.module.js';
import { NetworksModule } from './networks/networks.module.js';
import { NftTokensModule } from './nft-tokens/nft-tokens.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { RateLimitsModule } from './rate-limits/rate-limits.module.js';
import { SignatureAggregatorModule } from './signature-aggregator/signature-aggregator.module.js';
import { StatusModule } from './status/status.module.js';
import { SubnetsModule } from './subnets/subnets.module.js';
import { TemporalModule } from './temporal/temporal.module.js';
import { UtxosModule } from './utxos/utxos.module.js';
import { ValidatorsModule } from './validators/validators.module.js';

/** The API process. */
@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    TemporalModule,
    NetworksModule,
    EvmChainsModule,
    ChainsModule,
    RequestRecordsModule,
    IndexFreshnessModule,
    RateLimitsModule,
    ApiUsageModule,
    HealthModule,
    StatusModule,
    SignatureAggregatorModule,
    SubnetsModule,
    ValidatorsModule,
    DelegatorsModule,
    UtxosModule,
    InterchainMessagesModule,
    OperationsModule,
    NftTokensModule,
    NativeSupplyModule,
  ],
})
export class AppModule {}

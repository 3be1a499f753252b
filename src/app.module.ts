import { Module } from '@nestjs/common';
import { ApiUsageModule } from './resources/api-usage/api-usage.module.js';
import { ChangesModule } from './resources/changes/changes.module.js';
import { ChainsModule } from './resources/chains/chains.module.js';
import { ConfigModule } from './platform/config/config.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { DelegatorsModule } from './resources/delegators/delegators.module.js';
import { EvmChainsModule } from './platform/evm-chains/evm-chains.module.js';
import { RequestRecordsModule } from './platform/http/requests/request-records.module.js';
import { HealthModule } from './resources/health/health.module.js';
import { IndexOverviewModule } from './indexes/overview/index-overview.module.js';
import { InterchainMessagesModule } from './resources/interchain-messages/interchain-messages.module.js';
import { MeModule } from './resources/me/me.module.js';
import { NativeSupplyModule } from './resources/native-supply/native-supply.module.js';
import { NetworksModule } from './platform/networks/networks.module.js';
import { NftTokensModule } from './resources/nft-tokens/nft-tokens.module.js';
import { OperationsModule } from './resources/operations/operations.module.js';
import { RateLimitsModule } from './access/limits/rate-limits.module.js';
import { SignatureAggregatorModule } from './resources/signature-aggregator/signature-aggregator.module.js';
import { SignersModule } from './resources/signers/signers.module.js';
import { StatusModule } from './resources/status/status.module.js';
import { L1ValidatorsModule } from './resources/l1-validators/l1-validators.module.js';
import { NetworkDetailsModule } from './resources/network-details/network-details.module.js';
import { RewardsModule } from './resources/rewards/rewards.module.js';
import { StakingTransactionsModule } from './resources/staking-transactions/staking-transactions.module.js';
import { SubnetsModule } from './resources/subnets/subnets.module.js';
import { TemporalModule } from './platform/temporal/temporal.module.js';
import { UtxosModule } from './resources/utxos/utxos.module.js';
import { ValidationCyclesModule } from './resources/validation-cycles/validation-cycles.module.js';
import { WebhooksModule } from './resources/webhooks/webhooks.module.js';
import { ValidatorsModule } from './resources/validators/validators.module.js';

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
    IndexOverviewModule,
    RateLimitsModule,
    ApiUsageModule,
    HealthModule,
    StatusModule,
    SignatureAggregatorModule,
    SignersModule,
    NetworkDetailsModule,
    SubnetsModule,
    ValidatorsModule,
    ValidationCyclesModule,
    L1ValidatorsModule,
    RewardsModule,
    DelegatorsModule,
    UtxosModule,
    StakingTransactionsModule,
    InterchainMessagesModule,
    ChangesModule,
    OperationsModule,
    NftTokensModule,
    NativeSupplyModule,
    MeModule,
    WebhooksModule,
  ],
})
export class AppModule {}

import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { AppModule } from '../../../src/app.module.js';
import { ChangesModule } from '../../../src/resources/changes/changes.module.js';
import { ChainsModule } from '../../../src/resources/chains/chains.module.js';
import { ConfigModule } from '../../../src/platform/config/config.module.js';
import { DatabaseModule } from '../../../src/platform/database/database.module.js';
import { DelegatorsModule } from '../../../src/resources/delegators/delegators.module.js';
import { IndexOverviewModule } from '../../../src/indexes/overview/index-overview.module.js';
import { InterchainMessagesModule } from '../../../src/resources/interchain-messages/interchain-messages.module.js';
import { EvmChainsModule } from '../../../src/platform/evm-chains/evm-chains.module.js';
import { NetworksModule } from '../../../src/platform/networks/networks.module.js';
import { L1ValidatorsModule } from '../../../src/resources/l1-validators/l1-validators.module.js';
import { NetworkDetailsModule } from '../../../src/resources/network-details/network-details.module.js';
import { RewardsModule } from '../../../src/resources/rewards/rewards.module.js';
import { StakingTransactionsModule } from '../../../src/resources/staking-transactions/staking-transactions.module.js';
import { SubnetsModule } from '../../../src/resources/subnets/subnets.module.js';
import { UtxosModule } from '../../../src/resources/utxos/utxos.module.js';
import { ValidationCyclesModule } from '../../../src/resources/validation-cycles/validation-cycles.module.js';
import { ValidatorsModule } from '../../../src/resources/validators/validators.module.js';
import { serveModule } from '../harness/serve-module.js';

/** The lists as the API serves them, without what needs Temporal. Configured as the API is. */
@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    NetworksModule,
    EvmChainsModule,
    IndexOverviewModule,
    NetworkDetailsModule,
    SubnetsModule,
    ValidatorsModule,
    ValidationCyclesModule,
    L1ValidatorsModule,
    RewardsModule,
    StakingTransactionsModule,
    DelegatorsModule,
    UtxosModule,
    InterchainMessagesModule,
    ChainsModule,
    ChangesModule,
  ],
})
class ListsModule {}

const registered: unknown = Reflect.getMetadata('imports', AppModule);
const own: unknown = Reflect.getMetadata('imports', ListsModule);
if (
  !Array.isArray(registered) ||
  !Array.isArray(own) ||
  !own.every((module) => registered.includes(module))
) {
  throw new Error('the API does not serve all lists');
}

await serveModule(ListsModule);

import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { AppModule } from '../../../src/app.module.js';
import { ChainsModule } from '../../../src/chains/chains.module.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { DatabaseModule } from '../../../src/database/database.module.js';
import { DelegatorsModule } from '../../../src/delegators/delegators.module.js';
import { IndexFreshnessModule } from '../../../src/index-freshness/index-freshness.module.js';
import { InterchainMessagesModule } from '../../../src/interchain-messages/interchain-messages.module.js';
import { EvmChainsModule } from '../../../src/evm-chains/evm-chains.module.js';
import { NetworksModule } from '../../../src/networks/networks.module.js';
import { SubnetsModule } from '../../../src/subnets/subnets.module.js';
import { UtxosModule } from '../../../src/utxos/utxos.module.js';
import { ValidatorsModule } from '../../../src/validators/validators.module.js';
import { serveModule } from '../harness/serve-module.js';

/** The lists as the API serves them, without what needs Temporal. Configured as the API is. */
@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    NetworksModule,
    EvmChainsModule,
    IndexFreshnessModule,
    SubnetsModule,
    ValidatorsModule,
    DelegatorsModule,
    UtxosModule,
    InterchainMessagesModule,
    ChainsModule,
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

import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { RateLimitsModule } from '../../src/access/limits/rate-limits.module.js';
import { ConfigModule } from '../../src/platform/config/config.module.js';
import { DatabaseModule } from '../../src/platform/database/database.module.js';
import { EvmChainsModule } from '../../src/platform/evm-chains/evm-chains.module.js';
import { NetworksModule } from '../../src/platform/networks/networks.module.js';
import { ApiUsageModule } from '../../src/resources/api-usage/api-usage.module.js';
import { SubnetsModule } from '../../src/resources/subnets/subnets.module.js';
import { UtxosModule } from '../../src/resources/utxos/utxos.module.js';
import { ValidatorsModule } from '../../src/resources/validators/validators.module.js';
import { serveModule } from '../support/harness/serve-module.js';

/** Lists as the API serves them; with the argument `metered` also its limits and metrics. */

const isMetered = process.argv[2] === 'metered';

@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    NetworksModule,
    EvmChainsModule,
    SubnetsModule,
    ValidatorsModule,
    UtxosModule,
    ...(isMetered ? [RateLimitsModule, ApiUsageModule] : []),
  ],
})
class MeteredModule {}

await serveModule(MeteredModule);

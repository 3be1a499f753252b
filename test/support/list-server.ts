import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../src/app.module.js';
import { createAdapter, setUpApp } from '../../src/app.setup.js';
import { ChainsModule } from '../../src/chains/chains.module.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import { DelegatorsModule } from '../../src/delegators/delegators.module.js';
import { InterchainMessagesModule } from '../../src/interchain-messages/interchain-messages.module.js';
import { EvmChainsModule } from '../../src/evm-chains/evm-chains.module.js';
import { nestLogger } from '../../src/logger.js';
import { NetworksModule } from '../../src/networks/networks.module.js';
import { SubnetsModule } from '../../src/subnets/subnets.module.js';
import { UtxosModule } from '../../src/utxos/utxos.module.js';
import { ValidatorsModule } from '../../src/validators/validators.module.js';

/** The lists as the API serves them, without what needs Temporal. Configured as the API is. */
@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    NetworksModule,
    EvmChainsModule,
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

const app = await NestFactory.create<NestFastifyApplication>(ListsModule, createAdapter(), {
  logger: nestLogger,
  abortOnError: false,
});
await setUpApp(app);
await app.listen(0, '127.0.0.1');
process.send?.({ url: await app.getUrl() });
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));

import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiUsageModule } from '../../src/api-usage/api-usage.module.js';
import { createAdapter, setUpApp } from '../../src/app.setup.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import { nestLogger } from '../../src/logger.js';
import { RateLimitsModule } from '../../src/rate-limits/rate-limits.module.js';
import { SubnetsModule } from '../../src/subnets/subnets.module.js';
import { UtxosModule } from '../../src/utxos/utxos.module.js';
import { ValidatorsModule } from '../../src/validators/validators.module.js';

/** Lists as the API serves them; with the argument `metered` also its limits and metrics. */

const isMetered = process.argv[2] === 'metered';

@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    SubnetsModule,
    ValidatorsModule,
    UtxosModule,
    ...(isMetered ? [RateLimitsModule, ApiUsageModule] : []),
  ],
})
class MeteredModule {}

const app = await NestFactory.create<NestFastifyApplication>(MeteredModule, createAdapter(), {
  logger: nestLogger,
  abortOnError: false,
});
await setUpApp(app);
await app.listen(0, '127.0.0.1');
process.send?.({ url: await app.getUrl() });
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));

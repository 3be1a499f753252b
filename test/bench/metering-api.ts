import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiUsageModule } from '../../src/resources/api-usage/api-usage.module.js';
import { createAdapter, setUpApp } from '../../src/app.setup.js';
import { ConfigModule } from '../../src/platform/config/config.module.js';
import { DatabaseModule } from '../../src/platform/database/database.module.js';
import { nestLogger } from '../../src/platform/logging/logger.js';
import { RateLimitsModule } from '../../src/access/limits/rate-limits.module.js';
import { SubnetsModule } from '../../src/resources/subnets/subnets.module.js';
import { UtxosModule } from '../../src/resources/utxos/utxos.module.js';
import { ValidatorsModule } from '../../src/resources/validators/validators.module.js';

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

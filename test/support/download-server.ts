import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createAdapter, setUpApp } from '../../src/app.setup.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import { nestLogger } from '../../src/logger.js';
import { DownloadModule } from '../../src/operations/download/download.module.js';

/** The downloads as the API serves them, without what needs Temporal. Configured as the API is. */
@Module({ imports: [ConfigModule, DatabaseModule, DownloadModule] })
class DownloadsModule {}

const app = await NestFactory.create<NestFastifyApplication>(DownloadsModule, createAdapter(), {
  logger: nestLogger,
  abortOnError: false,
});
await setUpApp(app);
await app.listen(0, '127.0.0.1');
process.send?.({ url: await app.getUrl() });
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));

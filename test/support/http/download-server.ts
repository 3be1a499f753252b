import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { ConfigModule } from '../../../src/platform/config/config.module.js';
import { DatabaseModule } from '../../../src/platform/database/database.module.js';
import { DownloadModule } from '../../../src/resources/operations/download/download.module.js';
import { serveModule } from '../harness/serve-module.js';

/** The downloads as the API serves them, without what needs Temporal. Configured as the API is. */
@Module({ imports: [ConfigModule, DatabaseModule, DownloadModule] })
class DownloadsModule {}

await serveModule(DownloadsModule);

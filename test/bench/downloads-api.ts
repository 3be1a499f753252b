import 'reflect-metadata';
import { Controller, Get, Module, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createInflateRaw } from 'node:zlib';
import { Config, ConfigModule } from '../../src/platform/config/config.module.js';
import { DatabaseModule } from '../../src/platform/database/database.module.js';
import { DownloadModule } from '../../src/resources/operations/download/download.module.js';
import { serveModule } from '../support/harness/serve-module.js';

/** The stored pieces of a file, expanded or as they are, by what Node has alone. */
@Controller({ path: 'bare', version: '1' })
class BareController {
  private readonly folder: string;

  constructor({ env }: Config) {
    this.folder = env.EXPORT_STORAGE_URL ?? '';
  }

  @Get(':form/:operationId')
  async send(
    @Param('form') form: string,
    @Param('operationId') operationId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    reply.hijack();
    const folder = join(this.folder, operationId);
    for (const name of readdirSync(folder).toSorted()) {
      const piece = createReadStream(join(folder, name));
      const expand = form === 'plain' ? [createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH })] : [];
      await pipeline([piece, ...expand, reply.raw], { end: false });
    }
    reply.raw.end();
  }
}

@Module({ imports: [ConfigModule, DatabaseModule, DownloadModule], controllers: [BareController] })
class DownloadsModule {}

await serveModule(DownloadsModule);

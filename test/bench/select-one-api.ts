import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { AppModule } from '../../src/app.module.js';
import { createAdapter, setUpApp } from '../../src/app.setup.js';
import { nestLogger } from '../../src/logger.js';
import { ServedQueuesModule } from '../../src/temporal/served-queues.js';

/** The API as it is, with one more route: the least that any answer from Postgres can take. */
@Controller('select-one')
class SelectOneController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async selectOne(): Promise<unknown> {
    return this.dataSource.query('SELECT 1');
  }
}

@Module({ imports: [ServedQueuesModule.of([]), AppModule], controllers: [SelectOneController] })
class SelectOneModule {}

const app = await NestFactory.create<NestFastifyApplication>(SelectOneModule, createAdapter(), {
  logger: nestLogger,
  abortOnError: false,
});
await setUpApp(app);
await app.listen(0, '127.0.0.1');
process.send?.({ url: await app.getUrl() });
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));

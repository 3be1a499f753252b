import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppModule } from '../../src/app.module.js';
import { ServedQueuesModule } from '../../src/platform/temporal/served-queues.module.js';
import { serveModule } from '../support/harness/serve-module.js';

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

await serveModule(SelectOneModule);

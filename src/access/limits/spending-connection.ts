import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../../platform/config/config.module.js';
import { dataSourceOptions } from '../../platform/database/data-source.js';
import { Database } from '../../platform/database/database.js';

/** One connection for limits alone: they must not wait behind the queries of the requests that they let through. */
@Injectable()
export class SpendingConnection implements OnModuleInit, OnApplicationShutdown {
  readonly database: Database;
  private readonly dataSource: DataSource;

  constructor({ env }: Config) {
    this.dataSource = new DataSource(dataSourceOptions({ url: env.DATABASE_URL, poolSize: 1 }));
    this.database = new Database(this.dataSource);
  }

  async onModuleInit(): Promise<void> {
    await this.dataSource.initialize();
  }

  async onApplicationShutdown(): Promise<void> {
    // A start that failed may have left it closed.
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../config/config.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { Metrics } from '../metrics/metrics.js';
import { dataSourceOptions, openDataSource, runMigrations } from './data-source.js';
import { Database } from './database.js';
import { ListDatabase } from './list-database.js';
import { PoolMetrics } from './pool-metrics.js';
import { UnfitDatabaseError } from './unfit-database.js';

/** Postgres may come up after us (compose, restarts): wait for it about half a minute before giving up. */
const CONNECT_ATTEMPTS = 30;
const CONNECT_RETRY_DELAY_MS = 1_000;

/** The process's pool, that of the replica if there is one, and the access to them. */
@Global()
@Module({
  imports: [
    MetricsModule,
    TypeOrmModule.forRootAsync({
      inject: [Config],
      useFactory: (config: Config) => ({
        ...dataSourceOptions({ url: config.env.DATABASE_URL, poolSize: config.env.DATABASE_POOL_SIZE }),
        retryAttempts: CONNECT_ATTEMPTS,
        retryDelay: CONNECT_RETRY_DELAY_MS,
        toRetry: (error) => !(error instanceof UnfitDatabaseError),
        autoLoadEntities: true,
      }),
      dataSourceFactory: async (options) => {
        if (options === undefined) throw new Error('no database options');
        const dataSource = await openDataSource(options);
        await runMigrations(dataSource);
        return dataSource;
      },
    }),
  ],
  providers: [
    Database,
    PoolMetrics,
    {
      provide: ListDatabase,
      inject: [Config, Database, Metrics],
      useFactory: (config: Config, database: Database, metrics: Metrics) =>
        ListDatabase.connect(config, database, metrics),
    },
  ],
  exports: [Database, ListDatabase],
})
export class DatabaseModule {}

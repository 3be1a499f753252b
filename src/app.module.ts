import { Module } from '@nestjs/common';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { NetworksModule } from './networks/networks.module.js';
import { SignatureAggregatorModule } from './signature-aggregator/signature-aggregator.module.js';
import { TemporalModule } from './temporal/temporal.module.js';

/** The API process. */
@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    TemporalModule,
    NetworksModule,
    HealthModule,
    SignatureAggregatorModule,
  ],
})
export class AppModule {}

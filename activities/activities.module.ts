import { Module } from '@nestjs/common';
import { PeerConnectionsModule } from '../src/signature-aggregator/peer-connections.module.js';
import { SignatureStoreModule } from '../src/signature-aggregator/signature-store.module.js';
import { SignatureAggregationActivities } from './signature-aggregation.activities.js';

@Module({
  imports: [SignatureStoreModule, PeerConnectionsModule],
  providers: [SignatureAggregationActivities],
  exports: [SignatureAggregationActivities],
})
export class ActivitiesModule {}

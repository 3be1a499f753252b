import { Module } from '@nestjs/common';
import { PChainIndexModule } from '../src/p-chain-index/p-chain-index.module.js';
import { PeerConnectionsModule } from '../src/signature-aggregator/peer-connections.module.js';
import { SignatureStoreModule } from '../src/signature-aggregator/signature-store.module.js';
import { PChainIndexActivities } from './p-chain-index.activities.js';
import { PChainWatchActivities } from './p-chain-watch.activities.js';
import { SignatureAggregationActivities } from './signature-aggregation.activities.js';

@Module({
  imports: [SignatureStoreModule, PeerConnectionsModule, PChainIndexModule],
  providers: [SignatureAggregationActivities, PChainIndexActivities, PChainWatchActivities],
  exports: [SignatureAggregationActivities, PChainIndexActivities, PChainWatchActivities],
})
export class ActivitiesModule {}

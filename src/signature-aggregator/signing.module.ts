import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '../metrics/metrics.module.js';
import { CollectionMetrics } from './collection-metrics.js';
import { OpenRuns } from './open-runs.js';
import { PeerConnections } from './peer-connections.js';
import { PeerMetrics } from './peer-metrics.js';
import { RunningCollections } from './running-collections.js';
import { SignatureCollector } from './signature-collector.js';
import { SignatureStoreModule } from './signature-store.module.js';

/** What only processes with workers have: connections to validators, and what is being collected over them. */
@Global()
@Module({
  imports: [SignatureStoreModule, MetricsModule],
  providers: [
    PeerConnections,
    SignatureCollector,
    RunningCollections,
    OpenRuns,
    CollectionMetrics,
    PeerMetrics,
  ],
  exports: [PeerConnections, SignatureCollector, RunningCollections, OpenRuns],
})
export class SigningModule {}

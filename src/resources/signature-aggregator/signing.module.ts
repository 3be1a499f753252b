import { Global, Module } from '@nestjs/common';
import { IndexedPChainModule } from '../../indexes/p-chain/indexed-p-chain.module.js';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { CallerTrust } from './collect/caller-trust.js';
import { CollectionMetrics } from './collect/collection-metrics.js';
import { GoCollectionMetrics } from './go-dialect/go-collection-metrics.js';
import { OpenRuns } from './record/open-runs.js';
import { PeerConnections } from './peers/peer-connections.js';
import { PeerMetrics } from './peers/peer-metrics.js';
import { SignerObservationsModule } from './observe/signer-observations.module.js';
import { SignerObserver } from './observe/signer-observer.js';
import { SignatureCollector } from './collect/signature-collector.js';
import { SignatureStoreModule } from './store/signature-store.module.js';

/** Only processes with workers have this: connections to validators, and the collections over them. */
@Global()
@Module({
  imports: [SignatureStoreModule, SignerObservationsModule, IndexedPChainModule, MetricsModule],
  providers: [
    PeerConnections,
    SignatureCollector,
    OpenRuns,
    CallerTrust,
    CollectionMetrics,
    PeerMetrics,
    SignerObserver,
    GoCollectionMetrics,
  ],
  exports: [PeerConnections, SignatureCollector, OpenRuns],
})
export class SigningModule {}

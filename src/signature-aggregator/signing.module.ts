import { Global, Module } from '@nestjs/common';
import { OpenRuns } from './open-runs.js';
import { PeerConnections } from './peer-connections.js';
import { RunningCollections } from './running-collections.js';
import { SignatureCollector } from './signature-collector.js';
import { SignatureStoreModule } from './signature-store.module.js';

/** What only processes with workers have: connections to validators, and what is being collected over them. */
@Global()
@Module({
  imports: [SignatureStoreModule],
  providers: [PeerConnections, SignatureCollector, RunningCollections, OpenRuns],
  exports: [PeerConnections, SignatureCollector, RunningCollections, OpenRuns],
})
export class SigningModule {}

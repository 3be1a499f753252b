import { Module } from '@nestjs/common';
import { AuditRepository } from './audit/audit.repository.js';
import { PChainAuditor } from './audit/p-chain-auditor.js';
import { IndexProgressModule } from '../engine/progress/index-progress.module.js';
import { Config } from '../../platform/config/config.module.js';
import { Geolocator } from './observations/geolocator.js';
import { ObservationRepository } from './observations/observation.repository.js';
import { PChainIndexers } from './p-chain-indexers.js';
import { PChainStateRepository } from './p-chain-state.repository.js';
import { PChainWriter } from './p-chain-writer.js';
import { ValidatorsSourceModule } from './validators-source.module.js';
import { ValidatorPoller } from './validator-poller.js';

/** Providers of the worker for the index. */
@Module({
  imports: [IndexProgressModule, ValidatorsSourceModule],
  providers: [
    PChainStateRepository,
    PChainWriter,
    PChainIndexers,
    {
      provide: Geolocator,
      inject: [Config],
      useFactory: ({ env }: Config) => new Geolocator(env.GEOLOCATION_DATABASES),
    },
    ObservationRepository,
    ValidatorPoller,
    AuditRepository,
    PChainAuditor,
  ],
  exports: [PChainWriter, PChainIndexers, ValidatorPoller, PChainAuditor, IndexProgressModule],
})
export class PChainIndexModule {}

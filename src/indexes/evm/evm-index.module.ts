import { Module } from '@nestjs/common';
import { CoverageRepository } from '../engine/coverage/coverage.repository.js';
import { IndexProgressModule } from '../engine/progress/index-progress.module.js';
import { EvmAuditRepository } from './audit/evm-audit.repository.js';
import { EvmAuditor } from './audit/evm-auditor.js';
import { EvmBuilds } from './rows/builds.js';
import { EvmIndexRepository } from './rows/evm-index.repository.js';
import { EvmIndexers } from './facets/evm-indexers.js';
import { EvmWriter } from './rows/evm-writer.js';
import { GenesisAllocations } from './sources/genesis-allocations.js';
import { EvmPartitions } from './rows/partitions.js';

/** Providers of the worker for the index of EVM chains. */
@Module({
  imports: [IndexProgressModule],
  providers: [
    CoverageRepository,
    EvmIndexRepository,
    EvmPartitions,
    EvmBuilds,
    EvmWriter,
    GenesisAllocations,
    EvmIndexers,
    EvmAuditRepository,
    EvmAuditor,
  ],
  exports: [EvmWriter, EvmIndexers, EvmAuditor, IndexProgressModule],
})
export class EvmIndexModule {}

import { Module } from '@nestjs/common';
import { CoverageRepository } from '../indexing/coverage.repository.js';
import { IndexProgressModule } from '../indexing/index-progress.module.js';
import { EvmIndexRepository } from './evm-index.repository.js';
import { EvmIndexers } from './evm-indexers.js';
import { EvmWriter } from './evm-writer.js';
import { GenesisAllocations } from './genesis-allocations.js';
import { EvmPartitions } from './partitions.js';

/** What the worker needs of the index of EVM chains. */
@Module({
  imports: [IndexProgressModule],
  providers: [
    CoverageRepository,
    EvmIndexRepository,
    EvmPartitions,
    EvmWriter,
    GenesisAllocations,
    EvmIndexers,
  ],
  exports: [EvmWriter, EvmIndexers, IndexProgressModule],
})
export class EvmIndexModule {}

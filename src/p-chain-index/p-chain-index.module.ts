import { Module } from '@nestjs/common';
import { IndexProgressModule } from './index-progress.module.js';
import { PChainIndexers } from './p-chain-indexers.js';
import { PChainStateRepository } from './p-chain-state.repository.js';
import { PChainWriter } from './p-chain-writer.js';

/** What the worker needs of the index. */
@Module({
  imports: [IndexProgressModule],
  providers: [PChainStateRepository, PChainWriter, PChainIndexers],
  exports: [PChainStateRepository, PChainWriter, PChainIndexers, IndexProgressModule],
})
export class PChainIndexModule {}

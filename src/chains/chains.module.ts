import { Module } from '@nestjs/common';
import { EvmIndexRepository } from '../evm-index/evm-index.repository.js';
import { CoverageRepository } from '../indexing/coverage.repository.js';
import { IndexProgressModule } from '../indexing/index-progress.module.js';
import { IndexedBlocksRepository } from '../transaction-exports/indexed-blocks.repository.js';
import { ChainsController } from './chains.controller.js';
import { ChainsService } from './chains.service.js';

@Module({
  imports: [IndexProgressModule],
  controllers: [ChainsController],
  providers: [ChainsService, CoverageRepository, EvmIndexRepository, IndexedBlocksRepository],
})
export class ChainsModule {}

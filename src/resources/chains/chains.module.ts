import { Module } from '@nestjs/common';
import { EvmIndexRepository } from '../../indexes/evm/rows/evm-index.repository.js';
import { CoverageRepository } from '../../indexes/engine/coverage/coverage.repository.js';
import { IndexProgressModule } from '../../indexes/engine/progress/index-progress.module.js';
import { IndexedBlocksRepository } from '../../exports/turns/indexed-blocks.repository.js';
import { ChainsController } from './chains.controller.js';
import { ChainsService } from './chains.service.js';

@Module({
  imports: [IndexProgressModule],
  controllers: [ChainsController],
  providers: [ChainsService, CoverageRepository, EvmIndexRepository, IndexedBlocksRepository],
})
export class ChainsModule {}

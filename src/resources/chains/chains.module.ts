import { Module } from '@nestjs/common';
import { IndexOverviewModule } from '../../indexes/overview/index-overview.module.js';
import { IndexedBlocksRepository } from '../../exports/turns/indexed-blocks.repository.js';
import { ChainsController } from './chains.controller.js';
import { ChainsService } from './chains.service.js';

@Module({
  imports: [IndexOverviewModule],
  controllers: [ChainsController],
  providers: [ChainsService, IndexedBlocksRepository],
})
export class ChainsModule {}

import { Module } from '@nestjs/common';
import { NftIndexModule } from './index/nft-index.module.js';
import { NftMoves } from './index/nft-moves.js';
import { NftTokensController } from './nft-tokens.controller.js';
import { NftTokensService } from './nft-tokens.service.js';
import { NftWorkflowClient } from './nft-workflow.client.js';

@Module({
  imports: [NftIndexModule],
  controllers: [NftTokensController],
  providers: [NftTokensService, NftMoves, NftWorkflowClient],
})
export class NftTokensModule {}

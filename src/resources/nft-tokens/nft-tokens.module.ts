import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EvmTransfer } from '../../indexes/evm/entities/evm-transfer.entities.js';
import { NftIndexModule } from './index/nft-index.module.js';
import { NftRefresher } from './index/nft-refresher.js';
import { NftMoves } from './index/nft-moves.js';
import { NftTokenEntity } from './nft-token.entity.js';
import { NftTokensController } from './nft-tokens.controller.js';
import { NftTokensService } from './nft-tokens.service.js';
import { NftWorkflowClient } from './nft-workflow.client.js';

@Module({
  imports: [TypeOrmModule.forFeature([NftTokenEntity, EvmTransfer]), NftIndexModule],
  controllers: [NftTokensController],
  providers: [NftTokensService, NftMoves, NftRefresher, NftWorkflowClient],
})
export class NftTokensModule {}

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { AssetEntity } from '../../indexes/x-chain/entities/x-chain.entities.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { AssetRepository } from '../utxos/asset.repository.js';
import { PaidRewardRepository } from './paid-reward.repository.js';
import { PendingRewardRepository } from './pending-reward.repository.js';
import { RewardsController } from './rewards.controller.js';
import { RewardsService } from './rewards.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([AssetEntity]), IndexedNetworksModule, PaginationModule],
  controllers: [RewardsController],
  providers: [RewardsService, PendingRewardRepository, PaidRewardRepository, AssetRepository],
})
export class RewardsModule {}

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import { UtxoEntity } from '../../indexes/utxos/utxo.entities.js';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { AssetsModule } from '../utxos/assets.module.js';
import { PaidRewardRepository } from './paid-reward.repository.js';
import { PendingRewardRepository } from './pending-reward.repository.js';
import { RewardsController } from './rewards.controller.js';
import { RewardsService } from './rewards.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([ValidatorEntity, UtxoEntity]),
    AssetsModule,
    IndexedNetworksModule,
    PaginationModule,
  ],
  controllers: [RewardsController],
  providers: [RewardsService, PendingRewardRepository, PaidRewardRepository],
})
export class RewardsModule {}

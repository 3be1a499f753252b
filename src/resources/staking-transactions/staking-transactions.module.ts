import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { StakingTransactionEntity } from '../../indexes/p-chain/entities/staking-transaction.entities.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { AssetsModule } from '../utxos/assets.module.js';
import { UtxosModule } from '../utxos/utxos.module.js';
import { StakingTransactionRepository } from './staking-transaction.repository.js';
import { StakingTransactionsController } from './staking-transactions.controller.js';
import { StakingTransactionsService } from './staking-transactions.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([StakingTransactionEntity]),
    AssetsModule,
    IndexedNetworksModule,
    PaginationModule,
    UtxosModule,
  ],
  controllers: [StakingTransactionsController],
  providers: [StakingTransactionsService, StakingTransactionRepository],
})
export class StakingTransactionsModule {}

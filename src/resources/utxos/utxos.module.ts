import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UtxoEntity } from '../../indexes/utxos/utxo.entities.js';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { AssetsModule } from './assets.module.js';
import { BalanceRepository } from './balance.repository.js';
import { BalancesService } from './balances.service.js';
import { KnownSpends } from './known-spends.js';
import { UtxoRepository } from './utxo.repository.js';
import { UtxosController } from './utxos.controller.js';
import { UtxosService } from './utxos.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([UtxoEntity]), AssetsModule, IndexedNetworksModule, PaginationModule],
  controllers: [UtxosController],
  providers: [UtxosService, UtxoRepository, BalancesService, BalanceRepository, KnownSpends],
  exports: [UtxosService],
})
export class UtxosModule {}

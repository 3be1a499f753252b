import { Module } from '@nestjs/common';
import { ReadingModule } from '../database/reading.module.js';
import { PaginationModule } from '../http/pagination/pagination.module.js';
import { AssetRepository } from './asset.repository.js';
import { UtxoRepository } from './utxo.repository.js';
import { UtxosController } from './utxos.controller.js';
import { UtxosService } from './utxos.service.js';

@Module({
  imports: [ReadingModule, PaginationModule],
  controllers: [UtxosController],
  providers: [UtxosService, UtxoRepository, AssetRepository],
})
export class UtxosModule {}

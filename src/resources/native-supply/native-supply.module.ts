import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { NativeSupplyController } from './native-supply.controller.js';
import { IndexProgressEntity } from '../../indexes/engine/progress/index-progress.entities.js';
import { NativeSupply } from './native-supply.entity.js';
import { NativeSupplyService } from './native-supply.service.js';
import { SupplyProgress } from './supply-progress.js';
import { SupplyRepository } from './supply.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([NativeSupply, IndexProgressEntity])],
  controllers: [NativeSupplyController],
  providers: [NativeSupplyService, SupplyRepository, SupplyProgress],
})
export class NativeSupplyModule {}

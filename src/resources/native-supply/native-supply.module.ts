import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { NativeSupplyController } from './native-supply.controller.js';
import { NativeSupply } from './native-supply.entity.js';
import { NativeSupplyService } from './native-supply.service.js';
import { SupplyRepository } from './supply.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([NativeSupply])],
  controllers: [NativeSupplyController],
  providers: [NativeSupplyService, SupplyRepository],
})
export class NativeSupplyModule {}

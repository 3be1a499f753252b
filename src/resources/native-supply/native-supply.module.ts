import { Module } from '@nestjs/common';
import { NativeSupplyController } from './native-supply.controller.js';
import { NativeSupplyService } from './native-supply.service.js';
import { SupplyRepository } from './supply.repository.js';

@Module({ controllers: [NativeSupplyController], providers: [NativeSupplyService, SupplyRepository] })
export class NativeSupplyModule {}

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { L1ValidatorEntity } from '../../indexes/p-chain/entities/l1-validator.entity.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { L1ValidatorListRepository } from './l1-validator.repository.js';
import { L1ValidatorsController } from './l1-validators.controller.js';
import { L1ValidatorsService } from './l1-validators.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([L1ValidatorEntity]), IndexedNetworksModule, PaginationModule],
  controllers: [L1ValidatorsController],
  providers: [L1ValidatorsService, L1ValidatorListRepository],
})
export class L1ValidatorsModule {}

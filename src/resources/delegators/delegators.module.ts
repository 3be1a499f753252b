import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DelegatorEntity } from '../../indexes/p-chain/entities/delegator.entities.js';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { DelegatorRepository } from './delegator.repository.js';
import { DelegatorsController } from './delegators.controller.js';
import { DelegatorsService } from './delegators.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([DelegatorEntity]), IndexedNetworksModule, PaginationModule],
  controllers: [DelegatorsController],
  providers: [DelegatorsService, DelegatorRepository],
})
export class DelegatorsModule {}

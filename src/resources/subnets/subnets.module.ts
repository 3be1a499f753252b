import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SubnetEntity } from '../../indexes/p-chain/entities/subnet.entities.js';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { SubnetRepository } from './subnet.repository.js';
import { SubnetsController } from './subnets.controller.js';
import { SubnetsService } from './subnets.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([SubnetEntity]), IndexedNetworksModule, PaginationModule],
  controllers: [SubnetsController],
  providers: [SubnetsService, SubnetRepository],
})
export class SubnetsModule {}

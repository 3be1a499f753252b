import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BlockchainEntity, SubnetEntity } from '../../indexes/p-chain/entities/subnet.entities.js';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { BlockchainRepository } from './blockchain.repository.js';
import { BlockchainsController } from './blockchains.controller.js';
import { BlockchainsService } from './blockchains.service.js';
import { SubnetRepository } from './subnet.repository.js';
import { SubnetsController } from './subnets.controller.js';
import { SubnetsService } from './subnets.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([SubnetEntity, BlockchainEntity]),
    IndexedNetworksModule,
    PaginationModule,
  ],
  controllers: [SubnetsController, BlockchainsController],
  providers: [SubnetsService, SubnetRepository, BlockchainsService, BlockchainRepository],
})
export class SubnetsModule {}

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { NodeEntity, ObservedNode } from '../../indexes/p-chain/entities/node.entities.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { ValidatorRepository } from './validator.repository.js';
import { ValidatorsController } from './validators.controller.js';
import { ValidatorsService } from './validators.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([ValidatorEntity, NodeEntity, ObservedNode]),
    IndexedNetworksModule,
    PaginationModule,
  ],
  controllers: [ValidatorsController],
  providers: [ValidatorsService, ValidatorRepository],
})
export class ValidatorsModule {}

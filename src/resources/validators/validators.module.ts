import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../../platform/database/indexed-networks.module.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { ValidatorRepository } from './validator.repository.js';
import { ValidatorsController } from './validators.controller.js';
import { ValidatorsService } from './validators.service.js';

@Module({
  imports: [IndexedNetworksModule, PaginationModule],
  controllers: [ValidatorsController],
  providers: [ValidatorsService, ValidatorRepository],
})
export class ValidatorsModule {}

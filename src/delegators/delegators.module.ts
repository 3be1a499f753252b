import { Module } from '@nestjs/common';
import { ReadingModule } from '../database/reading.module.js';
import { PaginationModule } from '../http/pagination/pagination.module.js';
import { DelegatorRepository } from './delegator.repository.js';
import { DelegatorsController } from './delegators.controller.js';
import { DelegatorsService } from './delegators.service.js';

@Module({
  imports: [ReadingModule, PaginationModule],
  controllers: [DelegatorsController],
  providers: [DelegatorsService, DelegatorRepository],
})
export class DelegatorsModule {}

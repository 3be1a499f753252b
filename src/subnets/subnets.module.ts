import { Module } from '@nestjs/common';
import { ReadingModule } from '../database/reading.module.js';
import { PaginationModule } from '../http/pagination/pagination.module.js';
import { SubnetRepository } from './subnet.repository.js';
import { SubnetsController } from './subnets.controller.js';
import { SubnetsService } from './subnets.service.js';

@Module({
  imports: [ReadingModule, PaginationModule],
  controllers: [SubnetsController],
  providers: [SubnetsService, SubnetRepository],
})
export class SubnetsModule {}

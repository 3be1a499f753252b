import { Module } from '@nestjs/common';
import { ReadingModule } from '../database/reading.module.js';
import { PaginationModule } from '../http/pagination/pagination.module.js';
import { ValidatorRepository } from './validator.repository.js';
import { ValidatorsController } from './validators.controller.js';
import { ValidatorsService } from './validators.service.js';

@Module({
  imports: [ReadingModule, PaginationModule],
  controllers: [ValidatorsController],
  providers: [ValidatorsService, ValidatorRepository],
})
export class ValidatorsModule {}

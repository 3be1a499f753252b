import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ValidationCycle } from '../../indexes/p-chain/entities/validation-cycle.entity.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { CycleRepository } from './cycle.repository.js';
import { ValidationCyclesController } from './validation-cycles.controller.js';
import { ValidationCyclesService } from './validation-cycles.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([ValidationCycle, ValidatorEntity]), PaginationModule],
  controllers: [ValidationCyclesController],
  providers: [ValidationCyclesService, CycleRepository],
})
export class ValidationCyclesModule {}
